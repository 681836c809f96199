import { expect, test } from '@jest/globals';
import { carriedByRequest } from '@zerd/core/accounting/carried-by-request';
import { contextChanges } from '@zerd/core/accounting/context-changes';
import { promptOf } from '@zerd/core/context/relieve/prompt-tokens';
import type { CallId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { moves, tell } from '../context/stories.ts';
import { createLog } from './logs.ts';

const total = (kinds: object) => Object.values(kinds).reduce((sum, tokens: number) => sum + tokens, 0);

/** A session of three requests: tools and rules stand first, then a message, then a long result. */
function session() {
  const log = createLog({
    system: `${'You are zerd. '.repeat(20)}${'Use tabs. '.repeat(30)}`,
    tools: JSON.stringify([{ name: 'shell', description: 'runs a command '.repeat(30) }]),
    rules: [{ path: 'AGENTS.md', hash: 'h', chars: 300 }],
  }).turn();
  const turnId = 'turn_2' as TurnId;
  log.add({ kind: 'message.submitted', turnId, text: 'make the tests pass' });
  log.answered({ write: 1_000 });
  log.add({
    kind: 'toolCall.finished',
    turnId,
    callId: 'call_1' as CallId,
    outcome: 'ok',
    shown: 'failed: something is wrong here\n'.repeat(300),
    bytes: 9_600,
    durationMs: 1,
  });
  return log;
}

test('a request carries the system text, the tools, what was said and what tools answered, and they add up to its prompt', () => {
  const log = session().answered({ read: 1_000, write: 3_000 });
  const carried = carriedByRequest(log.events);
  const [first, second] = [carried.get('req_1' as RequestId), carried.get('req_2' as RequestId)];
  expect([total(first ?? {}), total(second ?? {})]).toEqual([1_000, 4_000]);
  expect(first).toMatchObject({ results: 0 });
  expect(Math.min(first?.system ?? 0, first?.tools ?? 0)).toBeGreaterThan(300);
  expect(first?.messages).toBeGreaterThan(0);
  expect(second?.results).toBeGreaterThan(3_000);
});

test('a prompt that nobody counted is estimated, one of its own is left out, and keeping warm sends the one before', () => {
  const log = session();
  log.asked({});
  log.answered({ read: 4_000, purpose: 'keepWarm' });
  log.answered({ uncached: 9_000, purpose: 'compaction', apart: true });
  const carried = carriedByRequest(log.events);
  expect(total(carried.get('req_2' as RequestId) ?? {})).toBeGreaterThan(2_000);
  expect(total(carried.get('req_3' as RequestId) ?? {})).toBe(4_000);
  expect(carried.has('req_4' as RequestId)).toBe(false);
});

test('a trim shows as fewer results, a summary as none', () => {
  const log = session().answered({ read: 1_000, write: 3_000 });
  log.trimmed({ read: 4_000, kept: 1_000 }).answered({ read: 1_000, write: 100 });
  log.compacted().answered({ read: 900, write: 100 });
  const results = (id: string) => carriedByRequest(log.events).get(id as RequestId)?.results ?? -1;
  expect(results('req_3')).toBeLessThan(0.1 * results('req_2'));
  expect(results('req_4')).toBe(0);
});

test('for every session the kinds are whole, none is below 0, and they add up to each prompt that was counted', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events } = tell(story);
      const carried = carriedByRequest(events);
      for (const kinds of carried.values())
        for (const tokens of Object.values(kinds)) expect(Number.isInteger(tokens) && tokens >= 0).toBe(true);
      for (const { event } of events) {
        if (event.kind !== 'assistant.finished' || !event.usage.reported) continue;
        const kinds = carried.get(event.requestId);
        if (kinds !== undefined) expect(total(kinds)).toBe(promptOf(event.usage));
      }
    }),
  );
});

test('trims, summaries and changes of the model are told with their reasons and with what a trim came to', () => {
  const log = createLog({ forkOf: { sessionId: 'ses_0' as SessionId, seq: 3 } }).turn();
  const turnId = 'turn_2' as TurnId;
  log.trimmed({ read: 9_000, kept: 1_000 });
  log.trimmed({ read: 9_000, kept: 1_000 });
  log.add({
    kind: 'context.measured',
    turnId,
    requestId: 'req_1' as RequestId,
    prompt: 1_000,
    read: 900,
    saved: 4_200,
  });
  log.compacted();
  log.add({ kind: 'model.changed', model: 'sim/big' });
  expect(contextChanges(log.events).map(({ kind, says, copied }) => [kind, copied, says])).toEqual([
    ['trimmed', true, 'due: 1 old result, 0 tokens cut, 0 written anew'],
    ['trimmed', false, 'due: 1 old result, 0 tokens cut, 0 written anew; it saved 4200 with the next request'],
    ['compacted', false, 'due: 0 tokens became 0'],
    ['modelChanged', false, 'sim/big answers from here on'],
  ]);
});
