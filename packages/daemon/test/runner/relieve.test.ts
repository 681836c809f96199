import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { windowOf, windowWarnings } from '../../src/runner/window.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

const text = (n: number) => Array.from({ length: 150 }, (_, i) => `export const value${n}x${i} = ${i};\n`).join('');
const files = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f${n}.ts`, text(n)]));
const reads = Object.keys(files).map((path) => ({ calls: [{ name: 'read', input: { path } }] }));

async function play(wire: 'anthropic' | 'chat', more: readonly { readonly calls: readonly object[] }[] = []) {
  const steps = [...reads, ...more, { text: 'Done.' }] as never;
  const opened = await openScene({ wire, files, steps, config: { context: { window: 2 } } });
  scene = opened;
  const { sessionId, end } = await opened.say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  const events = opened.events(sessionId).map(({ event }) => event);
  const only = <K extends SessionEvent['kind']>(kind: K) =>
    events.flatMap((event) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
  return { opened, sessionId, events, only };
}

test.each(['anthropic', 'chat'] as const)(
  'over %s old results leave the prompt when they have paid for it, the event says why, and the answer what it came to',
  async (wire) => {
    const { opened, sessionId, events, only } = await play(wire);
    const [trim] = only('context.trimmed');
    const [measured] = only('context.measured');
    expect(trim?.reason).toBe('old results have paid for their rewrite');
    expect(trim?.predicted.rent).toBeGreaterThanOrEqual(trim?.predicted.price ?? Number.NaN);
    expect(trim?.note).toMatch(/^<system-reminder>\n.*\n- read f0\.ts: \d+ lines, [0-9a-f]{12}\n/);
    // Planned before the request that it changes, measured with the answer to that request.
    const at = trim === undefined ? -1 : events.indexOf(trim);
    expect(events.slice(at + 1, at + 4).map(({ kind }) => kind)).toEqual([
      'request.started',
      'assistant.finished',
      'context.measured',
    ]);
    expect(measured?.prompt).toBeLessThan(trim?.predicted.read ?? 0);
    const requests = only('request.started');
    const bodies = opened.gateway.requests.map(({ body }) => JSON.stringify(body));
    const sent = requests.findIndex((request) => events.indexOf(request) > at);
    expect(bodies[sent - 1]).toContain('value0x70');
    expect(bodies[sent]).not.toContain('value0x70');
    expect(bodies[sent]).toContain('bytes cleared: recall');
    // A past request can be read again, byte for byte, on both sides of the trim (I2).
    for (const [n, { requestId }] of requests.entries())
      expect(opened.runner.contextBody(sessionId, requestId).body).toBe(bodies[n]);
  },
);

test('what was cleared can be recalled whole, by the id that stands in its place', async () => {
  const first = await play('anthropic');
  const shown = first.only('toolCall.finished')[0];
  const id = shown?.archiveId?.slice(0, 12) ?? '';
  await first.opened.close();
  scene = undefined;
  const { only } = await play('anthropic', [{ calls: [{ name: 'recall', input: { id } }] }]);
  expect(only('context.trimmed')[0]?.calls).toContain(shown?.callId);
  expect(only('toolCall.finished').at(-1)?.shown).toContain('value0x70');
});

test('the window is what the client says for this run, else what is set; nonsense counts for nothing', () => {
  const settings = { window: 6 };
  expect(
    ['3', ' 12 ', '', '0', '2.5', 'many', '1e3', '0x3'].map((asked) => windowOf(settings, { ZERD_WINDOW: asked })),
  ).toEqual([3, 12, 6, 6, 6, 6, 6, 6]);
  expect(windowOf(settings, {})).toBe(6);
});

test('a window that counts for nothing is told', () => {
  expect(['3', ' 12 ', '', ' '].flatMap((asked) => windowWarnings({ ZERD_WINDOW: asked }))).toEqual([]);
  expect(windowWarnings({})).toEqual([]);
  expect(windowWarnings({ ZERD_WINDOW: 'many' })).toEqual([
    'ZERD_WINDOW is "many" and has no effect: it takes a whole number from 1 to 1000.',
  ]);
});
