import { expect, test } from '@jest/globals';
import type { Usage } from '@zerd/protocol/common/usage';
import { createProvider } from '../../src/create-provider.ts';
import { defaultDeadlines, type Wire } from '../../src/provider.ts';
import { open, providerAt, story, waiting, wires, withGateway } from '../support/attempts.ts';
import { type Running, run, until } from '../support/collect.ts';
import { eventStream, type Respond } from '../support/gateway.ts';
import { responsesChunks, responsesSse, usage } from '../support/responses-stream.ts';
import { chatSse } from '../support/streams.ts';

/** Sent, and nobody says what it came to. */
const untold: Usage = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: false };

type End = (running: Running) => Promise<void>;

async function check(wire: Wire, respond: Respond, end: End, expected: readonly Partial<Usage>[]): Promise<void> {
  await withGateway(respond, async (gateway) => {
    const running = run(providerAt(gateway, wire));
    await end(running);
    expect((await running.ended).some(({ kind }) => kind === 'finished')).toBe(false);
    expect(running.spent).toMatchObject(expected);
  });
}

const silent: Respond = () => {};
const headAlone: Respond = (response) => eventStream(response).flushHeaders();
const begun = (wire: Wire) => open(story(wire).begin);
const refused: Respond = (response) => void response.writeHead(503).end('{}');
const closed: Respond = (response) => void response.destroy();
const broken =
  (wire: Wire): Respond =>
  (response) =>
    eventStream(response).write(story(wire).begin, () => response.destroy());

const itself: End = async () => {};
const interruptedAt =
  (wait: string): End =>
  async (running) => {
    await waiting(running, wait);
    running.abort.abort();
  };
const tooLate: End = async (running) => {
  await waiting(running, 'first event');
  running.clock.advance(defaultDeadlines.firstEventMs);
};

/** Anthropic says what a prompt comes to as its answer begins. */
const atItsBegin = (wire: Wire) => (wire === 'anthropic' ? { reported: true } : untold);

test.each(wires)(
  'on %s: a request that was sent and left by us may be charged, one that was refused or cut off unanswered is not',
  async (wire) => {
    await check(wire, silent, interruptedAt('first event'), [untold]);
    await check(wire, headAlone, interruptedAt('first event'), [untold]);
    await check(wire, silent, tooLate, [untold]);
    await check(wire, begun(wire), interruptedAt('next event'), [atItsBegin(wire)]);
    await check(wire, broken(wire), itself, [atItsBegin(wire)]);
    await check(wire, refused, itself, []);
    await check(wire, closed, itself, []);
  },
);

test('a request that no connection took is not charged', async () => {
  const running = run(createProvider({ wire: 'chat', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' }));
  running.abort.abort();
  await running.ended;
  expect(running.spent).toEqual([]);
  const refusedConnection = run(createProvider({ wire: 'chat', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' }));
  await until(() => refusedConnection.events.length > 0);
  expect(refusedConnection.spent).toEqual([]);
});

const whole = (sse: string): Respond => {
  return (response) => void eventStream(response).end(sse);
};

test('F-05, F-12: what a failed answer reports of itself is what it is charged by, on every wire that says so', async () => {
  const error = { code: 'server_error', message: 'We broke.' };
  const failed = { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error, usage } };
  const reported = { uncached: 12, cacheRead: 2_000, cacheWrite: 300, output: 57, reasoning: 20, reported: true };
  await check('responses', whole(responsesSse([...responsesChunks.slice(0, 12), failed])), itself, [reported]);
  const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] };
  const full = {
    type: 'response.incomplete',
    response: { ...response, usage: { input_tokens: 900, output_tokens: 0 } },
  };
  await check('responses', whole(responsesSse([full])), itself, [{ uncached: 900, output: 0, reported: true }]);
  const noRoom = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }], usage: { prompt_tokens: 900 } };
  await check('chat', whole(chatSse([noRoom])), itself, [{ uncached: 900, output: 0, reported: true }]);
});
