import { expect, test } from '@jest/globals';
import { renderPrompt } from '@zerd/core/context/render';
import { foldSession } from '@zerd/core/session/fold';
import { forkClosing, forkCreated } from '@zerd/core/session/fork';
import { project, type SessionSummary } from '@zerd/core/session/summary';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, JobId, PromptId, SessionId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { moves, tell } from '../context/stories.ts';
import { anEvent, assistant, call, created, finished, log, message, request, turn } from './events.ts';

const source = 'ses_1' as SessionId;

/** The log of the fork, as the store writes it. */
function forked(events: readonly LoggedEvent[], seq: number): readonly LoggedEvent[] {
  const copies = events.slice(0, seq);
  const [first, ...rest] = copies;
  if (first?.event.kind !== 'session.created') throw new Error('not a session');
  const own: LoggedEvent = { seq: 1, at: 9_000, event: forkCreated(first.event, { sessionId: source, seq }) };
  const closing = forkClosing(foldSession(copies));
  return [own, ...rest, ...closing.map((event, i) => ({ seq: seq + 1 + i, at: 9_000, event }))];
}

const blocks = (events: readonly LoggedEvent[]) => {
  const { system, tools, messages } = renderPrompt(foldSession(events), 'key');
  return [
    system,
    JSON.stringify(tools),
    ...messages.flatMap(({ role, blocks }) => blocks.map((b) => JSON.stringify([role, b]))),
  ];
};

test('I3: a fork where a request was about to be sent sends the same, byte for byte, with the same cache marks', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events, requests } = tell(story);
      for (const count of requests) {
        const state = foldSession(events.slice(0, count));
        if (state.openCalls.length > 0) continue;
        const fork = foldSession(forked(events, count));
        expect(renderPrompt(fork, 'key')).toEqual(renderPrompt(state, 'key'));
      }
    }),
  );
});

test('I3: wherever a session is forked, nothing that was sent before changes', () => {
  fc.assert(
    fc.property(moves, fc.nat(), (story, at) => {
      const { events } = tell(story);
      const seq = 1 + (at % events.length);
      const fork = blocks(forked(events, seq));
      const open = new Set(foldSession(events.slice(0, seq)).openCalls.map(({ callId }) => callId as string));
      const sent = blocks(events.slice(0, seq));
      const isClosed = (block: string) =>
        ![...open].some((callId) => block.includes(`"toolResult","callId":"${callId}"`));
      expect(fork.filter(isClosed)).toEqual(sent.filter(isClosed));
      expect(fork).toHaveLength(sent.length);
    }),
  );
});

test('I12: whatever the log holds, nothing is open behind a fork', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 30 }), (some) => {
      const events = log(created, ...some.filter(({ kind }) => kind !== 'session.created'));
      const state = foldSession(forked(events, events.length));
      expect([state.turn, state.openRequest, state.openCalls, state.queue, state.subagents]).toEqual([
        undefined,
        undefined,
        [],
        [],
        [],
      ]);
      expect([...state.jobs.values()].filter((job) => job.finished === undefined)).toEqual([]);
    }),
  );
});

test('what was open is closed: calls as not run here, jobs and prompts as those of the source', () => {
  const { turnId } = turn;
  const started: SessionEvent = {
    ...{ kind: 'toolCall.started', turnId, callId: 'c1' as CallId, name: 'read', inputJson: '{}' },
  };
  const events = log(
    created,
    turn,
    message('Go'),
    request('req_1'),
    assistant('req_1', call('c1'), call('c2')),
    started,
    { kind: 'job.started', turnId, callId: 'c0' as CallId, jobId: 'job_1' as JobId, command: 'make' },
    { kind: 'prompt.queued', promptId: 'prm_1' as PromptId, text: 'And then?' },
  );
  const closing = forkClosing(foldSession(events));
  expect(closing.map((event) => [event.kind, 'outcome' in event ? event.outcome : ''])).toEqual([
    ['toolCall.finished', 'unknown'],
    ['toolCall.finished', 'interrupted'],
    ['job.finished', 'lost'],
    ['prompt.removed', ''],
    ['turn.finished', 'interrupted'],
  ]);
  expect(
    forkClosing(foldSession(log(created, turn, message('Go'), { kind: 'turn.finished', turnId, outcome: 'done' }))),
  ).toEqual([]);
});

test('a fork names its source and where its line began, and works for nobody', () => {
  const parent = { sessionId: source, callId: 'c1' as CallId, title: 't', depth: 1 };
  const one = forkCreated({ ...created, parent }, { sessionId: 'ses_2' as SessionId, seq: 9 });
  expect(one).toEqual({ ...created, forkOf: { sessionId: 'ses_2', seq: 9 } });
  const two = forkCreated(one, { sessionId: 'ses_3' as SessionId, seq: 4 });
  expect(two.forkOf).toEqual({ sessionId: 'ses_3', seq: 4, origin: 'ses_2' });
  expect(forkCreated(two, { sessionId: 'ses_4' as SessionId, seq: 2 }).forkOf?.origin).toBe('ses_2');
});

test('copies are not paid again, and a fork is as young as itself', () => {
  const events = log(created, turn, message('Go'), request('req_1'), assistant('req_1'), finished('c1'));
  const rows = forked(events, 5).reduce<SessionSummary | undefined>(
    (summary, logged) => project(summary, 'ses_9' as SessionId, logged).summary,
    undefined,
  );
  expect(rows?.row).toMatchObject({ requests: 0, costPico: 0, title: 'Go', createdAt: 9_000, updatedAt: 9_000 });
});
