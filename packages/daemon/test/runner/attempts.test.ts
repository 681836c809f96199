import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Fault, FaultRule } from '@zerd/simulator/faults/fault';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout | undefined;

/** A scene whose time passes a second every few milliseconds: deadlines and pauses come, nothing waits for them. */
async function open(wish: SceneWish, drive = true): Promise<Scene> {
  clock = manualClock();
  scene = await openScene({ ...wish, clock });
  if (drive) driving = setInterval(() => clock.advance(1_000), 4);
  return scene;
}
afterEach(async () => {
  clearInterval(driving);
  await scene.close();
});

type Failed = Extract<SessionEvent, { kind: 'request.failed' }>;
const failures = (sessionId: Parameters<Scene['events']>[0]): readonly Failed[] =>
  scene.events(sessionId).flatMap(({ event }) => (event.kind === 'request.failed' ? [event] : []));

test.each<[string, Fault, string]>([
  ['F-01 silence after the first event', { kind: 'silence', after: 'first-event' }, 'provider_timeout'],
  ['F-02 no answer at all', { kind: 'no-answer' }, 'provider_timeout'],
  ['headers and not a byte', { kind: 'headers-only' }, 'provider_timeout'],
  ['half a line', { kind: 'cut', at: 'line', how: 'end' }, 'provider_truncated'],
  ['F-03 silence after output', { kind: 'silence', after: 'output' }, 'provider_timeout'],
  ['F-04 an end without the terminal event', { kind: 'eof' }, 'provider_truncated'],
  ['F-05 an error event on a socket that stays open', { kind: 'error-event', leaveOpen: true }, 'provider_failed'],
  ['F-06 overloaded after 200', { kind: 'overloaded-event' }, 'provider_overloaded'],
  ['F-10 pings and nothing else', { kind: 'pings-only' }, 'provider_timeout'],
  ['a reset in the middle', { kind: 'reset' }, 'provider_truncated'],
])('R-05: %s ends the attempt with its reason, and the next one succeeds', async (_name, fault, code) => {
  const { say } = await open({ steps: [{ text: 'Done.' }], faults: [{ on: 1, fault }] });
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(failures(sessionId).map(({ failure, retryAt }) => [failure.code, retryAt !== undefined])).toEqual([
    [code, true],
  ]);
});

test('what had arrived before a stall is kept and never sent back as if it were whole (F-03)', async () => {
  const { say, gateway } = await open({
    steps: [{ text: 'Half an answer.' }],
    faults: [{ on: 1, fault: { kind: 'silence', after: 'output' } }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(failures(sessionId)[0]?.partial).toMatch(/^Half/);
  expect(gateway.requests.map(({ bodyText }) => bodyText)).toEqual([
    gateway.requests[0]?.bodyText,
    gateway.requests[0]?.bodyText,
  ]);
});

test.each<[string, FaultRule['fault'], string, number]>([
  ['F-11 a storm of overload', { kind: 'overloaded' }, 'provider_overloaded', 5],
  ['a spending limit', { kind: 'spend-limit' }, 'provider_quota', 1],
  ['a refused key', { kind: 'bad-key' }, 'provider_auth', 1],
  ['a window that is too small', { kind: 'overflow' }, 'context_overflow', 1],
  ['HTML instead of an answer', { kind: 'html', status: 200 }, 'provider_malformed', 1],
  [
    'a wait longer than anyone sits in front of',
    { kind: 'rate-limit', retryAfter: '3600' },
    'provider_rate_limited',
    1,
  ],
])('R-17: %s ends the turn after a bounded number of attempts and says why', async (_name, fault, code, attempts) => {
  const { say, gateway } = await open({ steps: [{ text: 'never' }], faults: [{ fault }] });
  const { sessionId, end } = await say('Go', { headless: true });
  const why = expect.stringMatching(/(5 attempts failed|Trying again cannot help|asks to wait 60 min)/);
  expect(await end).toMatchObject({ outcome: 'failed', failure: { code, message: why } });
  expect(gateway.requests).toHaveLength(attempts);
  expect(scene.events(sessionId).filter(({ event }) => event.kind === 'question.asked')).toEqual([]);
});

test('a wait that the provider asks for is honoured, shown, and can be cancelled (F-11)', async () => {
  const { say, runner, gateway } = await open(
    { steps: [], faults: [{ fault: { kind: 'rate-limit', retryAfter: '300' } }] },
    false,
  );
  const { sessionId, end } = await say('Go');
  const failed = await scene.until(sessionId, 'request.failed');
  expect(failed.retryAt).toBeGreaterThanOrEqual(clock.wall() + 300_000);
  while (runner.waits().length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(runner.waits()).toEqual([
    {
      for: 'next attempt at sim/sim after provider_rate_limited',
      sessionId,
      sinceAt: clock.wall(),
      deadlineAt: failed.retryAt,
    },
  ]);
  expect(await runner.interrupt(sessionId)).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  expect(gateway.requests).toHaveLength(1);
  expect(runner.waits()).toEqual([]);
});

test('a truncated call is not run, the model is told, and the session stays valid (F-08, F-09)', async () => {
  const { say, gateway } = await open({
    steps: [
      { calls: [{ name: 'shell', input: { command: 'touch ran-by-mistake-because-it-was-cut' } }] },
      { text: 'Sorry.' },
    ],
    faults: [{ on: 1, fault: { kind: 'cut-input' } }],
  });
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  const kinds = scene.events(sessionId).map(({ event }) => event.kind);
  expect(kinds).not.toContain('toolCall.started');
  expect(gateway.requests[1]?.bodyText).toContain('Send the call again, whole.');
});

test.each<[string, Fault]>([
  ['duplicate call ids', { kind: 'duplicate-ids' }],
  ['an unknown tool', { kind: 'unknown-tool' }],
  ['arguments of megabytes', { kind: 'huge-input', bytes: 3_000_000 }],
])('%s end as error results or run once each, and the session stays valid (F-13)', async (_name, fault) => {
  const { say, gateway } = await open({
    steps: [
      {
        calls: [
          { name: 'find', input: { pattern: 'a' } },
          { name: 'find', input: { pattern: 'b' } },
        ],
      },
      { text: 'Well.' },
    ],
    faults: [{ on: 1, fault }],
  });
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(gateway.requests).toHaveLength(2);
  expect(gateway.requests[1]?.bodyText.length).toBeLessThan(20_000);
  expect(scene.events(sessionId).filter(({ event }) => event.kind === 'toolCall.finished')).toHaveLength(2);
});
