/**
 * The session that is shown, with what came of it: what its daemon tells goes into the transcript, into what is asked and
 * onto the screen. Invariant: what is busy is said by the daemon's events, never guessed.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { EventNotice } from '@zerd/protocol/node/follow';
import type { Arguments } from '../arguments.ts';
import type { Transcript } from '../transcript/blocks.ts';
import type { TranscriptView } from '../transcript/transcript-view.ts';
import type { Ask } from './ask.ts';
import type { Desk } from './desk.ts';
import { type ModelFacts, modelFacts } from './model-facts.ts';
import type { SessionListener } from './session-link.ts';
import { askedOf, emptyView, nextView, type SessionView, syncedView } from './session-view.ts';
import { createShownSession, type ShownParts, type ShownSession } from './shown-session.ts';
import type { WaitsWatch } from './waits-watch.ts';

export interface FollowedParts {
  readonly link: ShownParts['link'];
  readonly client: () => Promise<ZerdClient>;
  readonly begin: Arguments['begin'];
  readonly transcript: Transcript;
  readonly view: TranscriptView;
  readonly ask: Ask;
  readonly waits: WaitsWatch;
  /** Something wants the person's eyes. */
  bell(): void;
  draw(now: boolean): void;
  failed(error: unknown): void;
  /** What had been said in a session that is opened, oldest first. */
  recall(said: readonly string[]): void;
}

export interface FollowedSession extends Pick<ShownSession, 'link' | 'orBegun' | 'close'>, SessionView {
  readonly model: ModelFacts;
  /** Undefined: none, which begins with the first thing said. */
  open(sessionId: SessionId | undefined): Promise<void>;
  begin: Desk['begin'];
}

export function createFollowedSession(parts: FollowedParts): FollowedSession {
  const { client, transcript, view, ask, waits, draw, failed } = parts;
  let wishes = parts.begin;
  let seen = emptyView(wishes);
  let model: ModelFacts = {};
  const create = async () => (await (await client()).request('session/create', wishes)).sessionId;
  const shown = createShownSession({ link: parts.link, create, turnTo });

  function see(next: SessionView): void {
    seen = next;
    const before = ask.open;
    ask.set(askedOf(next.pending));
    if (ask.open && !before) parts.bell();
  }

  async function learnModel(): Promise<void> {
    const list = await (await client()).request('model/list', {});
    const { status } = seen;
    if (status.model === '') seen = { ...seen, status: { ...status, model: list.default ?? '' } };
    model = modelFacts(list, seen.status.model);
    draw(false);
  }

  function turnTo(sessionId: SessionId | undefined): SessionListener {
    transcript.clear();
    view.layoutAgain();
    view.toEnd();
    see(emptyView(wishes));
    draw(true);
    const watchWaits = () => waits.watch(seen.status.turnId === undefined ? undefined : sessionId);
    const said: string[] = [];
    let replaying = true;
    const happensNow = ({ event }: EventNotice) => {
      if (event.kind === 'turn.finished') parts.bell();
      if (event.kind === 'model.changed') learnModel().catch(failed);
      watchWaits();
      draw(false);
    };
    return {
      event(notice) {
        transcript.event(notice);
        see(nextView(seen, notice));
        if (!replaying) happensNow(notice);
        else if (notice.event.kind === 'message.submitted') said.push(notice.event.text);
      },
      delta(notice) {
        transcript.delta(notice);
        draw(false);
      },
      output(notice) {
        transcript.output(notice);
        draw(false);
      },
      pending({ pendingApprovals: approvals, pendingQuestions: questions }) {
        see({ ...seen, pending: { approvals, questions } });
        draw(true);
      },
      synced(snapshot) {
        if (replaying) parts.recall(said);
        replaying = false;
        see(syncedView(seen, snapshot));
        watchWaits();
        learnModel().catch(failed);
        draw(true);
      },
      lost: (why) => failed(new Error(`${why} Use /sessions to open one.`)),
    };
  }

  return {
    get link() {
      return shown.link;
    },
    get status() {
      return seen.status;
    },
    get pending() {
      return seen.pending;
    },
    get diffs() {
      return seen.diffs;
    },
    get model() {
      return model;
    },
    async open(sessionId) {
      await shown.open(sessionId);
      if (sessionId === undefined) return learnModel();
      draw(true);
    },
    orBegun: shown.orBegun,
    begin(wish) {
      wishes = { ...wishes, ...wish };
      seen = { ...seen, status: { ...seen.status, ...wish } };
      learnModel().catch(failed);
    },
    close: shown.close,
  };
}
