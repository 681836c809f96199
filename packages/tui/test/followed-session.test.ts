import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type SessionId, turnIdSchema } from '@zerd/protocol/common/ids';
import type { Snapshot } from '@zerd/protocol/node/follow';
import { createAsk } from '../src/app/ask.ts';
import { createFollowedSession } from '../src/app/followed-session.ts';
import type { SessionListener } from '../src/app/session-link.ts';
import { createTranscript } from '../src/transcript/blocks.ts';
import { createTranscriptView } from '../src/transcript/transcript-view.ts';

const turnId = turnIdSchema.parse('turn_1');
const sessionId = 'ses_1' as SessionId;
const said = (text: string): SessionEvent => ({ kind: 'message.submitted', turnId, text });
const snapshot = { session: { costPico: 0, unpricedRequests: 0 }, pendingApprovals: [] } as unknown as Snapshot;

/** A session that is opened; the daemon is what the test says it is. */
async function scene() {
  const told: string[] = [];
  const recalled: (readonly string[])[] = [];
  let listener: SessionListener | undefined;
  let seq = 0;
  const transcript = createTranscript();
  const session = createFollowedSession({
    link: async (id, hears) => {
      listener = hears;
      return { sessionId: id, feed: { request: async () => ({}) }, close() {} } as never;
    },
    client: async () => ({ request: async () => ({ models: [], default: 'sim/sim' }) }) as never,
    begin: {},
    transcript,
    view: createTranscriptView(transcript, () => 0),
    ask: createAsk(() => 0),
    waits: { watch: () => {}, says: () => undefined },
    bell: () => void told.push('bell'),
    draw: () => {},
    failed: (error) => void told.push(String(error)),
    recall: (texts) => void recalled.push([...texts]),
  });
  await session.open(sessionId);
  const happens = (event: SessionEvent) => {
    seq += 1;
    listener?.event({ sessionId, epoch: 'e', seq, at: seq, event });
  };
  return { session, told, recalled, happens, synced: () => listener?.synced(snapshot) };
}

test('what had been said when a session is opened is recalled once, what is said later is not', async () => {
  const { recalled, happens, synced } = await scene();
  happens(said('first'));
  happens(said('second'));
  synced();
  happens(said('third'));
  synced();
  expect(recalled).toEqual([['first', 'second']]);
});

test('the end of a turn rings when it happens, not when it is read again', async () => {
  const { session, told, happens, synced } = await scene();
  const done: SessionEvent = { kind: 'turn.finished', turnId, outcome: 'done' };
  happens({ kind: 'turn.started', turnId });
  expect(session.status.turnId).toBe(turnId);
  happens(done);
  synced();
  expect(told).toEqual([]);
  happens(done);
  expect(told).toEqual(['bell']);
});
