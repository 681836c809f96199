/**
 * What the server asks of the runner. The runner owns running turns; sessions themselves are the log.
 * Failures that are expected reject with ZerdError.
 */
import type { MemoryChange } from '@zerd/core/memory/change-memory';
import type { DeltaChannel } from '@zerd/core/model/answer';
import type { ApprovalId, CallId, PromptId, QuestionId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { GivenImages } from '@zerd/protocol/common/image';
import type {
  Budget,
  PendingApproval,
  PendingQuestion,
  PromptOutline,
  ResultInputOf,
  SessionCost,
  Wait,
  WaitingPrompt,
} from '@zerd/protocol/common/methods';
import type { Mode } from '@zerd/protocol/common/mode';
import type { KeptNotes } from '@zerd/protocol/common/notes-markdown';
import type { Needs } from '@zerd/protocol/common/work-events';

export interface NewPrompt {
  readonly sessionId: SessionId;
  readonly text: string;
  readonly images?: GivenImages;
  readonly headless?: boolean;
  readonly maxRequests?: number;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly model?: string;
}

export interface Kept {
  readonly promptId: PromptId;
  readonly seq: number;
}

export interface PromptChange {
  readonly sessionId: SessionId;
  readonly promptId: PromptId;
  /** Null: it is taken back. */
  readonly text: string | null;
  /** Instead of those that it had been given; absent: those stay. */
  readonly images?: GivenImages;
}

/** What waits to be submitted. */
export interface WaitingPrompts {
  /** The running turn, if any. */
  readonly turnId?: TurnId;
  readonly prompts: readonly WaitingPrompt[];
  /** Nothing of it begins before the user does something: the last turn did not end well, or `needs`. */
  readonly paused: boolean;
  /** What the next one needs to begin; absent: nothing. */
  readonly needs?: Needs;
}

/** Whose environment a session uses: as the client gave it at `initialize`. */
export type ClientEnv = Readonly<Record<string, string>>;

export interface Delta {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly requestId: RequestId;
  readonly channel: DeltaChannel;
  readonly text: string;
}

/** What a command wrote while its call waits for it. */
export interface CommandOutputNotice {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly text: string;
  /** Of `text`, in bytes of the output. */
  readonly offset: number;
  readonly totalBytes: number;
}

export interface OutputListener {
  /** Whether anybody wants what the commands of a session write. */
  wanted(sessionId: SessionId): boolean;
  tell(output: CommandOutputNotice): void;
}

export interface KeptNotesAt extends KeptNotes {
  /** The file that holds the same. */
  readonly file: string;
}

export interface RewindWish {
  readonly sessionId: SessionId;
  readonly atSeq?: number;
  readonly turns?: number;
  readonly force?: boolean;
  readonly preview?: boolean;
}

export interface Runner {
  createSession(wish: {
    readonly env: ClientEnv;
    readonly model?: string;
    readonly mode?: Mode;
    readonly maxCostUsd?: number;
    readonly maxTokens?: number;
    readonly trust?: boolean;
  }): Promise<{ readonly sessionId: SessionId; readonly model: string; readonly mode: Mode; readonly seq: number }>;
  /** Settles when the turn's start is committed; the turn itself goes on. */
  startTurn(wish: {
    readonly env: ClientEnv;
    readonly sessionId: SessionId;
    readonly text: string;
    readonly images?: GivenImages;
    readonly maxRequests?: number;
    readonly maxCostUsd?: number;
    readonly maxTokens?: number;
    readonly headless?: boolean;
    readonly model?: string;
    readonly trust?: boolean;
  }): Promise<{ readonly turnId: TurnId; readonly seq: number }>;
  /** Keeps what is said to the running turn; settles when it is committed. Rejects with unknown_turn. */
  steer(wish: {
    readonly env: ClientEnv;
    readonly sessionId: SessionId;
    readonly expectedTurnId: TurnId;
    readonly text: string;
    readonly images?: GivenImages;
    readonly trust?: boolean;
  }): Promise<Kept>;
  /** Keeps a prompt that begins when its turn has come; `began`: at once. Settles when it is committed. */
  queue(
    wish: NewPrompt & { readonly env: ClientEnv; readonly trust?: boolean },
  ): Promise<Kept & { readonly began?: TurnId }>;
  /** Rejects with already_resolved: it waits no longer. */
  changePrompt(change: PromptChange): Promise<Kept>;
  /** Begins the next waiting prompt, also after a turn that did not end well. Undefined: none waits, or a turn runs. */
  runQueue(wish: {
    readonly env: ClientEnv;
    readonly sessionId: SessionId;
    readonly trust?: boolean;
  }): Promise<TurnId | undefined>;
  queued(sessionId: SessionId): WaitingPrompts;
  /** The user trusts the repository from now on: what waits for that goes on. */
  trusted(env: ClientEnv): void;
  /** A client has connected: what waits for the key of a provider may go on with its environment. */
  offerEnv(env: ClientEnv): void;
  /** Begins to sum the session up, as a turn without a message. Settles when its start is committed. */
  compact(wish: {
    readonly env: ClientEnv;
    readonly sessionId: SessionId;
    readonly trust?: boolean;
  }): Promise<{ readonly turnId: TurnId; readonly seq: number }>;
  /** Settles once `turn.finished` is committed, at most a second later. False: no such turn was running. */
  interrupt(sessionId: SessionId, turnId?: TurnId): Promise<boolean>;
  answer(answer: {
    readonly sessionId: SessionId;
    readonly approvalId: ApprovalId;
    readonly digest: string;
    readonly decision: 'granted' | 'denied';
    readonly reason?: string;
    /** From now on too, as the approval offers it. */
    readonly always?: boolean;
    /** The name of the client. */
    readonly by?: string;
  }): Promise<void>;
  /** Commands were allowed for good: what is asked in any session and fits goes on. `by`: the name of the client. */
  allowedMore(by?: string): Promise<void>;
  answerQuestion(answer: {
    readonly sessionId: SessionId;
    readonly questionId: QuestionId;
    readonly answer: string;
    readonly by?: string;
  }): Promise<void>;
  /** Also grants what is asked and what the mode allows. `by`: the name of the client. */
  setMode(sessionId: SessionId, mode: Mode, by?: string): Promise<void>;
  /** The model that answers from the next turn on, by its whole name. Rejects with turn_running, unknown_model or key_missing. */
  selectModel(wish: {
    readonly env: ClientEnv;
    readonly sessionId: SessionId;
    readonly model: string;
  }): Promise<string>;
  /** A session of the same events up to `atSeq` (absent: up to now), with whatever was open there closed. */
  fork(wish: {
    readonly sessionId: SessionId;
    readonly atSeq?: number;
  }): Promise<{ readonly sessionId: SessionId; readonly seq: number }>;
  /** A fork at an earlier point, with the files as they were there. Rejects with invalid_params or turn_running. */
  rewind(wish: RewindWish): Promise<ResultInputOf<'session/rewind'>>;
  /** What the session keeps in mind, after what was changed in its file by hand. */
  readNotes(sessionId: SessionId): Promise<KeptNotesAt>;
  /** A change by the user. Rejects with invalid_params: it does not fit, and nothing changed. */
  writeNotes(sessionId: SessionId, change: MemoryChange): Promise<KeptNotesAt>;
  pendingApprovals(sessionId: SessionId): readonly PendingApproval[];
  pendingQuestions(sessionId: SessionId): readonly PendingQuestion[];
  /** The body of the next request, or of a past one, exactly. */
  contextBody(
    sessionId: SessionId,
    requestId?: RequestId,
  ): { readonly model: string; readonly body: string; readonly outline: PromptOutline };
  /** Tokens of a past request, or as the next one is expected, and of the window; absent: not known. */
  contextSizes(
    sessionId: SessionId,
    requestId: RequestId | undefined,
    env: ClientEnv,
  ): { readonly tokens?: number; readonly contextWindow?: number };
  /** The budgets that hold: of the session, when one is named, of the day and of the repository. */
  readBudgets(sessionId?: SessionId): readonly Budget[];
  /** What a session cost, with its misses and what is dear; `whole`: every request too. */
  readCost(sessionId: SessionId, whole?: boolean): SessionCost;
  /** What the next message would cost. Throws unknown_model. */
  forecast(wish: {
    readonly env: ClientEnv;
    readonly sessionId: SessionId;
    readonly text: string;
    readonly model?: string;
  }): ResultInputOf<'cost/forecast'>;
  /** The session and the sub-agents that worked for it; who they were. */
  removeSession(sessionId: SessionId): Promise<readonly SessionId[]>;
  /** Afterwards nothing that was read before counts: the daemon has to start anew. */
  forget(secret: string): Promise<{ readonly events: number; readonly bodies: number; readonly files: number }>;
  waits(): readonly Wait[];
  runningTurns(): number;
  /** Deltas, coalesced to at most one every 25 ms a channel. */
  onDelta(listener: (delta: Delta) => void): Disposable;
  onOutput(listener: OutputListener): Disposable;
  /** After a start: goes on with what the last daemon left open; calls that had begun end as 'interrupted, result unknown'. */
  recover(): Promise<void>;
  /** Ends every turn here, for good or so that the next daemon goes on with it, and settles when that is done. */
  stop(how?: 'interrupt' | 'handOver'): Promise<void>;
}
