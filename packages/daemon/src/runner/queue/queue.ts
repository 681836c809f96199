/**
 * Keeps what the user said in advance, and begins it when its turn has come: in order, by itself after a turn that ended
 * well, also after a restart. Invariants: a prompt is submitted once, with the text that was acknowledged last; one that
 * cannot begin waits visibly and is tried again when a client connects.
 */
import { nextPrompt } from '@zerd/core/session/queue';
import type { QueuedPrompt } from '@zerd/core/session/state';
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { PromptId, SessionId } from '@zerd/protocol/common/ids';
import type { Needs } from '@zerd/protocol/common/work-events';
import { isDiskFull, waitForRoom } from '../../base/full-disk.ts';
import type { TurnParts } from '../parts.ts';
import type { ClientEnv } from '../runner.ts';
import type { Launched } from '../turns/running-turns.ts';

/** Of the client that said it; in memory only. */
export interface Speaker {
  readonly env: ClientEnv;
  /** It trusts the repository this once. */
  readonly trust?: boolean;
}

export interface PromptWish extends Speaker {
  readonly sessionId: SessionId;
  readonly promptId: PromptId;
  readonly text: string;
  readonly headless?: boolean;
  readonly maxRequests?: number;
  readonly budget?: SpendingLimit;
  readonly model?: string;
}

export interface Queue {
  /** Whose environment the session has from now on. */
  remember(sessionId: SessionId, speaker: Speaker): void;
  rememberPrompt(promptId: PromptId, speaker: Speaker): void;
  /** What was said to a turn is trusted as that turn is. */
  rememberSteer(sessionId: SessionId, promptId: PromptId, speaker: Speaker): void;
  /** Begins the next prompt if one may begin; nothing is left to reject. */
  goOn(sessionId: SessionId): Promise<Launched | undefined>;
  /** The user wants it, also after a turn that did not end well. Rejects with what is wrong. */
  run(sessionId: SessionId, speaker: Speaker): Promise<Launched | undefined>;
  /** The session is gone. */
  forget(sessionId: SessionId): void;
  /** A client has connected. */
  offer(env: ClientEnv): void;
  /** What keeps the next prompt from beginning, if the user can do something; undefined while it is tried. */
  needs(sessionId: SessionId): Needs | undefined;
  /** The user trusts the repository from now on; `env`: of the client that says so, for what nobody's is known of. */
  trusted(env: ClientEnv): void;
  /** Nothing is tried again. */
  close(): void;
}

interface Held {
  readonly name: string;
  readonly shown: Disposable;
  /** Tries again. */
  readonly timer: Disposable | undefined;
  /** What the user must do something for; undefined: room on the disk. */
  readonly needs: Needs | undefined;
}

const againMs = 5_000;

/** `begin` starts a turn with a waiting prompt. */
export function createQueue(
  { book, store, waits, clock, log, env: own }: Pick<TurnParts, 'book' | 'store' | 'waits' | 'clock' | 'log' | 'env'>,
  begin: (wish: PromptWish) => Promise<Launched>,
): Queue {
  const ofPrompt = new Map<PromptId, Speaker>();
  const ofSession = new Map<SessionId, Speaker>();
  /** Sessions whose next prompt could not begin. */
  const held = new Map<SessionId, Held>();
  /** Those whose next prompt is about to begin, with what clients brought meanwhile. */
  const trying = new Map<SessionId, ClientEnv[]>();

  function release(sessionId: SessionId): void {
    held.get(sessionId)?.timer?.[Symbol.dispose]();
    held.get(sessionId)?.shown[Symbol.dispose]();
    held.delete(sessionId);
  }

  async function beginNext(sessionId: SessionId, asked: boolean, other?: Speaker): Promise<Launched | undefined> {
    for (;;) {
      const prompt = nextPrompt(book.state(sessionId), asked);
      if (prompt === undefined) {
        release(sessionId);
        return undefined;
      }
      const speaker = ofPrompt.get(prompt.promptId) ?? ofSession.get(sessionId) ?? { env: own };
      try {
        const launched = await begin(wishOf(sessionId, prompt, { ...speaker, ...other }));
        ofPrompt.delete(prompt.promptId);
        release(sessionId);
        return launched;
      } catch (error) {
        // It was taken back at the last moment: the next one.
        if (!isZerdError(error) || error.code !== 'already_resolved') throw error;
      }
    }
  }

  async function goOn(sessionId: SessionId, other?: Speaker): Promise<Launched | undefined> {
    if (trying.has(sessionId)) return undefined;
    const brought: ClientEnv[] = [];
    trying.set(sessionId, brought);
    try {
      return await beginNext(sessionId, false, other);
    } catch (error) {
      hold(sessionId, error);
    } finally {
      trying.delete(sessionId);
    }
    const env = brought.shift();
    return env !== undefined && needsKey(held.get(sessionId)) ? await goOn(sessionId, { env }) : undefined;
  }

  /** A client that connects may bring what it needs; room and a folder come without anybody. */
  function hold(sessionId: SessionId, error: unknown): void {
    const needs = needsOf(error);
    // The end of the turn that runs, or the next daemon, goes on.
    if (needs.code === 'turn_running' || needs.code === 'shutting_down') {
      release(sessionId);
      return;
    }
    const full = isDiskFull(error);
    const name = full
      ? waitForRoom('the next prompt', store.folder)
      : `what the next prompt needs to begin: ${needs.code}: ${needs.message}`;
    const before = held.get(sessionId);
    before?.timer?.[Symbol.dispose]();
    const goesOn = before?.name === name;
    if (!goesOn) {
      before?.shown[Symbol.dispose]();
      log[isZerdError(error) ? 'warn' : 'error']('a waiting prompt could not begin', { error, sessionId });
    }
    held.set(sessionId, {
      name,
      shown: goesOn ? before.shown : waits.begin(name, sessionId, undefined, 'blocks'),
      timer: full || needs.code === 'folder_missing' ? clock.setTimer(againMs, () => void goOn(sessionId)) : undefined,
      needs: full ? undefined : needs,
    });
    if (!full && !goesOn) tell(sessionId, needs);
  }

  /** Who said the next prompt, or the last one who spoke: in memory, so not after a restart. */
  function isKnown(sessionId: SessionId): boolean {
    const prompt = nextPrompt(book.state(sessionId), true);
    return ofSession.has(sessionId) || (prompt !== undefined && ofPrompt.has(prompt.promptId));
  }

  /** Whoever follows the session hears of it, and the log keeps it. */
  function tell(sessionId: SessionId, needs: Needs): void {
    const prompt = nextPrompt(book.state(sessionId), true);
    if (prompt === undefined) return;
    const event = { kind: 'prompt.held', promptId: prompt.promptId, needs } as const;
    book.append(sessionId, [event]).catch((error: unknown) => {
      log.warn('why a waiting prompt could not begin could not be logged', { error, sessionId });
    });
  }

  return {
    remember: (sessionId, { env, trust }) => void ofSession.set(sessionId, { env, ...(trust && { trust }) }),
    rememberPrompt: (promptId, { env, trust }) => void ofPrompt.set(promptId, { env, ...(trust && { trust }) }),
    rememberSteer(sessionId, promptId, { env, trust = ofSession.get(sessionId)?.trust ?? false }) {
      ofPrompt.set(promptId, { env, ...(trust && { trust }) });
    },
    forget(sessionId) {
      ofSession.delete(sessionId);
      release(sessionId);
    },
    goOn: (sessionId) => goOn(sessionId),
    run: (sessionId, speaker) => beginNext(sessionId, true, speaker),
    offer(env) {
      for (const brought of trying.values()) brought.push(env);
      // What fails for another reason keeps the environment of its own client.
      for (const [sessionId, one] of [...held]) void goOn(sessionId, needsKey(one) ? { env } : undefined);
    },
    needs: (sessionId) => (trying.has(sessionId) ? undefined : held.get(sessionId)?.needs),
    trusted(env) {
      for (const [sessionId, { needs }] of [...held])
        if (needs?.code === 'untrusted') void goOn(sessionId, isKnown(sessionId) ? undefined : { env });
    },
    close() {
      for (const sessionId of [...held.keys()]) release(sessionId);
    },
  };
}

function needsOf(error: unknown): Needs {
  if (isZerdError(error)) return { code: error.code, message: (error as Error).message };
  return { code: 'internal_error', message: `A defect in zerd keeps it from beginning. ${String(error)}` };
}

function needsKey(held: Held | undefined): boolean {
  return held?.needs?.code === 'key_missing';
}

function wishOf(sessionId: SessionId, prompt: QueuedPrompt, { env, trust }: Speaker): PromptWish {
  const { promptId, text, headless, maxRequests, budget, model } = prompt;
  return {
    ...{ sessionId, promptId, text, env },
    ...(trust && { trust }),
    ...(headless === undefined ? {} : { headless }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(budget === undefined ? {} : { budget }),
    ...(model === undefined ? {} : { model }),
  };
}
