import { expect, test } from '@jest/globals';
import { adviceOn, unlistedAdvice } from '@zerd/core/accounting/advice';
import { carriedOf } from '@zerd/core/accounting/carried';
import { costParts, ratesOf } from '@zerd/core/accounting/cost';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId, TurnId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import fc from 'fast-check';
import { moves, tell } from '../context/stories.ts';
import { createLog, price } from './logs.ts';

/** A log whose answers were paid. */
function paid(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  return events.map((logged) => {
    const { event } = logged;
    const rates = event.kind === 'assistant.finished' ? ratesOf(event.usage, price) : null;
    return rates === null ? logged : { ...logged, event: { ...event, rates } as SessionEvent };
  });
}

function inputCost(events: readonly LoggedEvent[]): number {
  const beside = new Set(
    events.flatMap(({ event }) =>
      event.kind === 'request.started' && event.purpose === 'compaction' ? [event.requestId] : [],
    ),
  );
  return events.reduce((sum, { event }) => {
    if (event.kind !== 'assistant.finished' || beside.has(event.requestId)) return sum;
    const parts = costParts(event.usage, price);
    return parts === null ? sum : sum + parts.uncached + parts.cacheRead + parts.cacheWrite;
  }, 0);
}

test('for every session what is carried adds up to what its requests paid for their input', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events } = tell(story);
      const started = events.flatMap(({ event }) => (event.kind === 'request.started' ? [event.requestId] : []));
      const all = paid(
        events.filter(({ event }) => event.kind !== 'assistant.finished' || started.includes(event.requestId)),
      );
      const carried = carriedOf(all);
      const sum = carried.reduce((total, { costPico }) => total + costPico, 0);
      expect(Math.abs(sum - inputCost(all))).toBeLessThanOrEqual(carried.length + 1);
    }),
  );
});

function session() {
  const log = createLog({
    system: 'You are zerd. '.repeat(100),
    tools: JSON.stringify([
      { name: 'shell', description: 'runs' },
      { name: 'read', description: 'reads' },
    ]),
    rules: [{ path: 'AGENTS.md', hash: 'h', chars: 700 }],
  }).turn();
  const turnId = 'turn_2' as TurnId;
  const ask = (usage: Partial<Usage>, ...calls: readonly (readonly [string, string])[]) => {
    const { requestId } = log.asked();
    const whole: Usage = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 10, reported: true, ...usage };
    const rates = ratesOf(whole, price);
    log.add({
      kind: 'assistant.finished',
      requestId,
      turnId,
      content: calls.map(([callId, inputJson]) => ({
        kind: 'toolCall',
        callId: callId as CallId,
        name: inputJson.includes('command') ? 'shell' : 'read',
        inputJson,
      })),
      stopReason: 'toolUse',
      usage: whole,
      costPico: 1,
      ...(rates === null ? {} : { rates }),
    });
  };
  const result = (callId: string, shown: string) =>
    log.add({
      kind: 'toolCall.finished',
      turnId,
      callId: callId as CallId,
      outcome: 'ok',
      shown,
      archiveId: 'a'.repeat(64) as ArchiveId,
      bytes: shown.length,
      durationMs: 1,
    });
  return { log, ask, result };
}

test('a result costs the writing of it once and the reading of it in every request behind', () => {
  const { log, ask, result } = session();
  ask({ cacheWrite: 1_000 }, ['call_1', '{"command":"npm test"}']);
  result('call_1', 'failed: something is wrong here\n'.repeat(1_000));
  ask({ cacheRead: 1_000, cacheWrite: 8_000 }, ['call_2', '{"path":"src/a.ts"}']);
  result('call_2', 'ok');
  for (let i = 0; i < 10; i++) ask({ cacheRead: 9_000, cacheWrite: 10 });
  const carried = carriedOf(log.events);
  const big = carried.find(({ callId, kind }) => callId === 'call_1' && kind === 'result');
  expect(big).toMatchObject({ label: 'shell npm test', requests: 11 });
  expect(carried[0]).toBe(big);
  const once = 8_000 * 2_500_000;
  const reads = 10 * 8_000 * 100_000;
  expect(big?.costPico).toBeGreaterThan(0.9 * (once + reads));
  expect(big?.costPico).toBeLessThan(1.05 * (once + reads));
  expect(carried.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['AGENTS.md', 'tool shell', 'tool read', 'the system text', 'read src/a.ts']),
  );
});

test('what a trim cut costs its stub from then on, and what a summary replaced costs nothing more', () => {
  const { log, ask, result } = session();
  ask({ cacheWrite: 1_000 }, ['call_1', '{"command":"npm test"}']);
  result('call_1', 'failed: something is wrong here\n'.repeat(1_000));
  ask({ cacheRead: 1_000, cacheWrite: 8_000 });
  const costOf = () => carriedOf(log.events).find(({ callId }) => callId === 'call_1')?.costPico ?? 0;
  const whole = carriedOf(log.events).find(({ kind }) => kind === 'result')?.costPico ?? 0;
  log.trimmed({ read: 9_000, kept: 1_000 });
  ask({ cacheRead: 1_000, cacheWrite: 300 });
  const cut = carriedOf(log.events).find(({ kind }) => kind === 'result')?.costPico ?? 0;
  expect(cut - whole).toBeLessThan(0.05 * whole);
  expect(costOf()).toBeGreaterThan(0);
  log.compacted();
  ask({ cacheRead: 500, cacheWrite: 300 });
  const gone = carriedOf(log.events).find(({ kind }) => kind === 'result')?.costPico ?? 0;
  expect(gone).toBe(cut);
  expect(carriedOf(log.events).some(({ kind }) => kind === 'summary')).toBe(true);
});

test('what is shown of folder rules is not put on the result that brought them', () => {
  const { log, ask } = session();
  ask({ cacheWrite: 1_000 }, ['call_1', '{"path":"src/a.ts"}']);
  const shown = `one line\n${'Use tabs. '.repeat(200)}`;
  log.add({
    kind: 'toolCall.finished',
    turnId: 'turn_2' as TurnId,
    callId: 'call_1' as CallId,
    outcome: 'ok',
    shown,
    bytes: shown.length,
    durationMs: 1,
    rules: [{ path: 'src/AGENTS.md', hash: 'h', chars: 2_000 }],
  });
  ask({ cacheRead: 1_000, cacheWrite: 600 });
  const carried = carriedOf(log.events);
  const cost = (label: string) => carried.find((one) => one.label === label)?.costPico ?? 0;
  expect(cost('src/AGENTS.md')).toBeGreaterThan(20 * cost('read src/a.ts'));
});

test('advice is given only where something is worth acting on, the dearest first, and never on what pays', () => {
  const carried = [
    { kind: 'result', label: 'shell npm test', callId: undefined, tokens: 8_000, requests: 40, costPico: 9e11 },
    { kind: 'rules', label: 'AGENTS.md', callId: undefined, tokens: 9_000, requests: 90, costPico: 5e11 },
    { kind: 'system', label: 'the system text', callId: undefined, tokens: 3_000, requests: 90, costPico: 5e12 },
    { kind: 'result', label: 'read a.ts', callId: undefined, tokens: 100, requests: 2, costPico: 1e9 },
  ] as const;
  const idle = { cause: 'idle', blame: 'yours', planned: false, costPico: 7e11 } as const;
  expect(adviceOn(8e12, carried, [idle, { ...idle, cause: 'trimmed', planned: true }]).map(({ text }) => text)).toEqual(
    [
      'shell npm test: $0.9000 for 8000 tokens in 40 requests. Let the command say less (a quiet switch, tail, grep).',
      'a pause outlived the cache: $0.7000. Set context.keepWarm, or compact before a long pause.',
      'AGENTS.md: $0.5000 for 9000 tokens in 90 requests. Every request carries it: shorten it, or move what few need to the folder that needs it.',
    ],
  );
  expect(adviceOn(3e10, carried.slice(3), [{ ...idle, costPico: 1e9 }])).toEqual([]);
});

test('requests that were never priced share nothing out', () => {
  const { log } = session();
  log.answered({ write: 1_000, unpriced: true });
  expect(carriedOf(log.events)).toEqual([]);
  expect(
    log.events.some(({ event }) => event.kind === 'request.started' && event.requestId === ('req_1' as RequestId)),
  ).toBe(true);
});

test('requests that a provider served as something without a price of a list are named once, those of a fork with its source', () => {
  const usage: Usage = { uncached: 9, cacheRead: 0, cacheWrite: 0, output: 1, reported: true };
  const served = (tier: string, copied = false, costPico: number | null = null) => ({
    ...{ copied, costPico },
    usage: { ...usage, tier },
  });
  const advice = (one: string) =>
    `${one}, for which no list has a price: give the model its own \`price\` in the configuration.`;
  const all = [
    served('priority'),
    served('flex'),
    served('priority'),
    served('priority', true),
    served('batch', false, 7),
  ];
  expect(unlistedAdvice([...all, { copied: false, costPico: null, usage }])).toEqual([
    advice('2 requests were served as priority'),
    advice('1 request was served as flex'),
  ]);
});
