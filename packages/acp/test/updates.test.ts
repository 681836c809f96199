import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { archiveIdSchema, callIdSchema, requestIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { beginTelling, tellEvent } from '../src/updates.ts';

const turnId = turnIdSchema.parse('turn_1');
const requestId = requestIdSchema.parse('req_1');
const callId = callIdSchema.parse('call_1');

function told(...events: readonly SessionEvent[]): readonly SessionUpdate[] {
  return toldIn(undefined, ...events);
}

function toldIn(window: number | undefined, ...events: readonly SessionEvent[]): readonly SessionUpdate[] {
  let telling = beginTelling(window);
  return events.flatMap((event) => {
    const { next, updates } = tellEvent(telling, event, { root: '/repo', live: false, optionsWith: () => [] });
    telling = next;
    return updates;
  });
}

const answered: SessionEvent = {
  kind: 'assistant.finished',
  requestId,
  turnId,
  content: [{ kind: 'toolCall', callId, name: 'shell', inputJson: '{"command":"rm -rf build"}' }],
  stopReason: 'toolUse',
  usage: { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: false },
  costPico: null,
};

const ended = (outcome: 'denied' | 'ok', shown: string): SessionEvent => ({
  kind: 'toolCall.finished',
  turnId,
  callId,
  outcome,
  shown,
  bytes: shown.length,
  durationMs: 0,
});

test('a call that was refused before it began is told by what it would have done', () => {
  expect(told(answered, ended('denied', 'Not allowed.'))).toMatchObject([
    {
      sessionUpdate: 'tool_call',
      toolCallId: callId,
      title: 'shell rm -rf build',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'rm -rf build' },
    },
    { sessionUpdate: 'tool_call_update', toolCallId: callId, status: 'failed' },
  ]);
});

test('a call that ran is told once', () => {
  const started: SessionEvent = {
    kind: 'toolCall.started',
    turnId,
    callId,
    name: 'shell',
    inputJson: '{"command":"ls"}',
  };
  const kinds = told(answered, started, ended('ok', 'a')).map(({ sessionUpdate }) => sessionUpdate);
  expect(kinds).toEqual(['tool_call', 'tool_call_update']);
});

test.each<[string, SessionEvent]>([
  ['that a limit in money cannot hold', { kind: 'budget.warned', turnId, model: 'a/b', text: 'No price.' }],
  [
    'that a limit ended a turn, and how to raise it,',
    { kind: 'turn.finished', turnId, outcome: 'limit', failure: { code: 'limit_reached', message: 'No price.' } },
  ],
  ['that a model caches nothing', { kind: 'cache.warned', turnId, model: 'a/b', text: 'No price.' }],
])('%s is told as a warning', (_, event) => {
  expect(told(event)).toMatchObject([{ sessionUpdate: 'notice', severity: 'warning', description: 'No price.' }]);
});

test('an interrupt is told by the end of the turn, not as a failed request', () => {
  const failure = { code: 'interrupted', message: 'interrupted by the user' };
  expect(told({ kind: 'request.failed', requestId, turnId, failure })).toEqual([]);
  expect(
    told({ kind: 'request.failed', requestId, turnId, failure: { code: 'internal', message: 'Oh.' } }),
  ).toMatchObject([{ severity: 'warning', description: 'internal: Oh.' }]);
});

test('an attempt that brought no answer and was charged is part of the cost', () => {
  const usage = { uncached: 0, cacheRead: 900, cacheWrite: 100, output: 1, reported: true };
  const failure = { code: 'interrupted', message: 'stopped' } as const;
  const failed: SessionEvent = { kind: 'request.failed', requestId, turnId, failure, usage, costPico: 2e12 };
  const { usage: _, costPico: __, ...free } = failed;
  const next: SessionEvent = { ...answered, content: [], usage, costPico: 1e12 };
  const costs = toldIn(200_000, failed, free, next).flatMap((update) =>
    update.sessionUpdate === 'usage_update' ? [update.cost?.amount] : [],
  );
  expect(costs).toEqual([2, 3]);
});

test('images of what was said elsewhere are named, and a refused one is noticed', () => {
  const archiveId = archiveIdSchema.parse('1a2b3c4d5e6f');
  const size = { width: 800, height: 600, bytes: 34_120, tokens: 1_100 };
  const image = { archiveId, name: 'shot.png', type: 'image/png' as const, ...size };
  const [said, refused] = told(
    { kind: 'message.submitted', turnId, text: 'Look', images: [image] },
    { kind: 'images.refused', turnId, images: [archiveId], reason: 'Could not process image' },
  );
  expect(said).toMatchObject({
    content: { text: 'Look\n[image shot.png 800x600, 34 kB, ~1,100 tokens]' },
  });
  expect(JSON.stringify(refused)).toContain('the provider refused an image');
});
