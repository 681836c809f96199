/**
 * One session as an editor drives it: what happens in the daemon goes to the editor in order, what the editor wants goes
 * to the daemon. It holds no truth: it can vanish and be opened again at any event. Invariant: updates leave in the order
 * of the events, and a prompt is answered only when its turn is final.
 */
import type { AgentContext, PromptResponse, SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { GivenImages } from '@zerd/protocol/common/image';
import type { Mode } from '@zerd/protocol/common/mode';
import { systemClock } from '@zerd/protocol/node/clock';
import { type EventNotice, type Feed, follow, type Snapshot } from '@zerd/protocol/node/follow';
import { createAsking } from './asking.ts';
import type { Reached } from './reach.ts';
import { sayer } from './say.ts';
import { submissions } from './submissions.ts';
import { turnEnds } from './turn-ends.ts';
import { beginTelling, tellDelta, tellEvent, tellOutput } from './updates.ts';

export interface EditorSession {
  readonly root: string;
  readonly feed: Feed;
  readonly snapshot: Snapshot;
  prompt(text: string, images?: GivenImages): Promise<PromptResponse>;
  /** Settles when the conversation is summed up, or cannot be. */
  compact(): Promise<PromptResponse>;
  cancel(): Promise<void>;
  setMode(mode: Mode): Promise<void>;
  tell(text: string): void;
  close(): void;
}

export interface SessionWish {
  readonly editor: AgentContext;
  readonly reached: Reached;
  readonly sessionId: SessionId;
  /** The last event that the editor knows. */
  readonly after: number;
  readonly window: number | undefined;
  /** The editor shows terminals of the agent. */
  readonly terminals: boolean;
  readonly optionsWith: (model: string) => SessionConfigOption[];
}

export async function openEditorSession({
  editor,
  reached,
  sessionId,
  after,
  window,
  terminals,
  optionsWith,
}: SessionWish): Promise<EditorSession> {
  const { root } = reached;
  const ends = turnEnds();
  const submitted = submissions();
  /** What this editor said: it shows that itself. */
  const own: string[] = [];
  let telling = beginTelling(window, terminals);
  let live = false;
  let sent: Promise<unknown> = Promise.resolve();

  function send(updates: readonly SessionUpdate[]): void {
    // An editor that is gone ends the process; until then nothing is left to tell it.
    for (const update of updates)
      sent = sent.then(() => editor.notify('session/update', { sessionId, update })).catch(() => {});
  }
  const tell = (text: string) => send([{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }]);
  let feed: Feed;
  const asking = createAsking({ editor, feed: () => feed, sessionId, tell });

  function isOwn(text: string): boolean {
    const at = live ? own.indexOf(text) : -1;
    if (at >= 0) own.splice(at, 1);
    return at >= 0;
  }

  function onEvent({ event, at }: EventNotice): void {
    const mine = event.kind === 'message.submitted' && isOwn(event.text);
    const told = tellEvent(telling, event, { root, live: mine, optionsWith });
    telling = told.next;
    send(told.updates);
    submitted.observe(event);
    if (event.kind === 'turn.finished') {
      // What was told of the turn goes out before its end.
      sent = sent.then(() => ends.seen(event));
    }
    if (live && event.kind === 'approval.requested') asking.approval(event);
    if (live && event.kind === 'question.asked')
      asking.question({ ...event, options: event.options ?? [], askedAt: at });
    if (event.kind === 'approval.answered') asking.over(event.approvalId);
    if (event.kind === 'question.answered') asking.over(event.questionId);
    if (event.kind === 'turn.finished') asking.turnOver(event.turnId);
  }

  let snapshot: Snapshot | undefined;
  feed = await follow(
    { client: await reached.connect(), reconnect: reached.connect, clock: systemClock, sessionId, after },
    {
      event: onEvent,
      delta(notice) {
        const told = tellDelta(telling, notice);
        telling = told.next;
        send(told.updates);
      },
      output(notice) {
        const told = tellOutput(telling, notice);
        telling = told.next;
        send(told.updates);
      },
      synced(now) {
        snapshot = now;
        live = true;
        telling = { ...telling, costPico: now.session.unpricedRequests > 0 ? null : now.session.costPico };
        asking.all(now.pendingApprovals, now.pendingQuestions ?? []);
      },
      pending: ({ pendingApprovals, pendingQuestions }) => asking.all(pendingApprovals, pendingQuestions),
      lost: (error) =>
        ends.lose(error instanceof Object && 'message' in error ? (error as Error) : new Error(String(error))),
    },
  );
  await sent;

  const say = sayer({ feed: () => feed, sessionId, ends, submissions: submitted, tell });

  async function prompt(text: string, images: GivenImages = []): Promise<PromptResponse> {
    own.push(text);
    try {
      return await say({ text, ...(images.length === 0 ? {} : { images }) });
    } finally {
      // What was refused, or taken back, is not waited for as an echo.
      if (own.includes(text)) own.splice(own.indexOf(text), 1);
    }
  }

  return {
    root,
    get feed() {
      return feed;
    },
    get snapshot() {
      if (snapshot === undefined) throw new Error('followed, but not synced');
      return snapshot;
    },
    prompt,
    compact: async () => ends.of((await feed.request('session/compact', { sessionId })).turnId),
    async cancel() {
      asking.close();
      await feed.request('turn/interrupt', { sessionId });
    },
    async setMode(mode) {
      await feed.request('session/setMode', { sessionId, mode });
    },
    tell,
    close() {
      asking.close();
      feed.close();
    },
  };
}
