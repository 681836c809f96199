import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import { nextPrompt, steersOf } from '@zerd/core/session/queue';
import type { SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import type { PromptId, TurnId } from '@zerd/protocol/common/ids';
import { created, log, message, turn } from './events.ts';

const queued = (promptId: string, steers?: TurnId): SessionEvent => ({
  kind: 'prompt.queued',
  promptId: promptId as PromptId,
  text: promptId,
  ...(steers && { steers }),
});
const ended = (outcome: TurnOutcome): SessionEvent => ({ kind: 'turn.finished', turnId: turn.turnId, outcome });
const next = (events: readonly SessionEvent[], asked?: boolean) =>
  nextPrompt(foldSession(log(created, ...events)), asked)?.promptId;

test.each<[string, readonly SessionEvent[], string | undefined, string | undefined]>([
  ['nothing waits', [], undefined, undefined],
  ['in an idle session the oldest begins', [queued('p1'), queued('p2')], 'p1', 'p1'],
  ['while a turn runs none begins', [turn, message('Go'), queued('p1')], undefined, undefined],
  ['a turn that is done lets the next begin', [turn, message('Go'), queued('p1'), ended('done')], 'p1', 'p1'],
  ['one that was interrupted does not', [turn, message('Go'), queued('p1'), ended('interrupted')], undefined, 'p1'],
  ['nor one that failed', [turn, message('Go'), queued('p1'), ended('failed')], undefined, 'p1'],
  ['nor one that needs an answer', [turn, message('Go'), queued('p1'), ended('needs-answer')], undefined, 'p1'],
  [
    'a summary that was made meanwhile says nothing',
    [turn, message('Go'), ended('failed'), queued('p1'), turn, ended('done')],
    undefined,
    'p1',
  ],
  [
    'the next word of the user does',
    [turn, message('Go'), ended('failed'), queued('p1'), turn, message('Again'), ended('done')],
    'p1',
    'p1',
  ],
  [
    'what was said to a turn that has ended waits like any other',
    [turn, message('Go'), queued('p1', turn.turnId), queued('p2'), ended('done')],
    'p1',
    'p1',
  ],
  [
    'what was taken back does not begin',
    [queued('p1'), { kind: 'prompt.removed', promptId: 'p1' as PromptId }],
    undefined,
    undefined,
  ],
])('%s', (_, events, byItself, asked) => {
  expect([next(events), next(events, true)]).toEqual([byItself, asked]);
});

test('a waiting prompt keeps its place when its text changes, and waits no longer once it is submitted', () => {
  const events = [turn, queued('p1', turn.turnId), queued('p2', turn.turnId)];
  const changed: SessionEvent = { kind: 'prompt.changed', promptId: 'p1' as PromptId, text: 'other' };
  const texts = (...more: readonly SessionEvent[]) =>
    steersOf(foldSession(log(created, ...events, ...more))).map(({ text }) => text);
  expect(texts(changed)).toEqual(['other', 'p2']);
  expect(
    texts(changed, { kind: 'message.submitted', turnId: turn.turnId, text: 'other', promptId: 'p1' as PromptId }),
  ).toEqual(['p2']);
});
