/**
 * What a session is, as plain data: the state that the fold of its log gives. Types only; `fold` says how events change it.
 */
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import type {
  AssistantBlock,
  Failure,
  SeenFile,
  SessionEvent,
  StopReason,
  ToolOutcome,
} from '@zerd/protocol/common/event';
import type {
  ApprovalId,
  ArchiveId,
  CallId,
  JobId,
  PromptId,
  QuestionId,
  RequestId,
  SessionId,
  TurnId,
} from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { Mode } from '@zerd/protocol/common/mode';
import type { RulesFile } from '@zerd/protocol/common/rules-file';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Notes } from '@zerd/protocol/common/work-events';
import type { ToldServers } from '../mcp/told.ts';
import type { ShownRules } from '../rules/block.ts';
import type { FixedUses } from './fixed-use.ts';
import type { KnownFile } from './known-files.ts';
import type { ToldChange } from './told-changes.ts';
import type { Trims } from './trims.ts';

/** What `session.created` froze. Before that event: empty texts, no tools, mode read-only. */
export interface CreatedFacts {
  readonly root: string;
  readonly system: string;
  /** JSON text of the tool declarations, exactly as frozen. */
  readonly tools: string;
  readonly model: string;
  readonly mode: Mode;
  readonly version: string;
  /** The files of rules whose text is part of `system`. */
  readonly rules: readonly RulesFile[];
  readonly forkOf: Created['forkOf'];
  readonly parent: Created['parent'];
}

type Created = Extract<SessionEvent, { kind: 'session.created' }>;

/** What the user said and what is not submitted yet. */
export interface QueuedPrompt {
  readonly promptId: PromptId;
  readonly text: string;
  readonly queuedAt: number;
  /** The turn that it is for; undefined: a turn of its own. */
  readonly steers: TurnId | undefined;
  /** Of the turn that it begins. */
  readonly headless: boolean | undefined;
  readonly maxRequests: number | undefined;
  readonly budget: SpendingLimit | undefined;
  readonly model: string | undefined;
  readonly images: readonly Image[] | undefined;
}

export interface OpenQuestion {
  readonly questionId: QuestionId;
  readonly turnId: TurnId;
  /** Undefined: zerd itself asks. */
  readonly callId: CallId | undefined;
  readonly about: Extract<SessionEvent, { kind: 'question.asked' }>['about'];
  readonly text: string;
  readonly options: readonly string[];
  readonly askedAt: number;
}

export interface Subagent {
  readonly callId: CallId;
  readonly sessionId: SessionId;
  readonly title: string;
}

export interface JobState {
  readonly jobId: JobId;
  readonly callId: CallId;
  readonly command: string;
  readonly startedAt: number;
  /** Undefined: it runs. */
  readonly finished: (Extract<SessionEvent, { kind: 'job.finished' }> & { readonly at: number }) | undefined;
  /** The model was told of its end. */
  readonly told: boolean;
}

/** What the session keeps in mind, as `notes` and `todo` left it. */
export interface Memory {
  readonly notes: Notes;
  readonly todo: string;
  /** Answered requests of the session when the list of steps was last changed. */
  readonly todoChangedAt: number;
  /** The same when it was last changed or the model was reminded of it. */
  readonly todoAt: number;
  /** What the user changed and the model was not told of yet. */
  readonly untold: { readonly notes: boolean; readonly todo: boolean };
}

export interface RunningTurn {
  readonly turnId: TurnId;
  readonly startedAt: number;
  /** Answers received in this turn: what `maxRequests` limits. */
  readonly requests: number;
  /** Requests started in this turn, retries included. */
  readonly attempts: number;
  readonly maxRequests: number | undefined;
  readonly headless: boolean;
  /** The failures in a row since the last answer; undefined: none. */
  readonly failing: FailingRequest | undefined;
  /** Undefined: it answers a message, or goes on without one. */
  readonly work: Extract<SessionEvent, { kind: 'turn.started' }>['work'];
  /** When it was resumed since it last got any further. */
  readonly resumedAt: readonly number[];
}

export interface FailingRequest {
  readonly times: number;
  readonly failure: Failure;
  /** When the next attempt begins; undefined: there is none. */
  readonly retryAt: number | undefined;
}

export interface OpenRequest {
  readonly requestId: RequestId;
  readonly turnId: TurnId;
  readonly model: string;
  readonly attempt: number;
  readonly startedAt: number;
  /** Of its body. */
  readonly bytes: number;
  /** The share that system text and tools have of it; undefined: a prompt of its own, which begins as no other. */
  readonly fixedShare: number | undefined;
  /** Beside the conversation; undefined: the next step of the turn. */
  readonly purpose: RequestPurpose | undefined;
}

export type RequestPurpose = NonNullable<Extract<SessionEvent, { kind: 'request.started' }>['purpose']>;

/** A call in the transcript that has no result yet. */
export interface OpenCall {
  readonly callId: CallId;
  readonly turnId: TurnId;
  readonly name: string;
  readonly inputJson: string;
  readonly broken: string | undefined;
  /** When `toolCall.started` was logged; undefined: it certainly had no effect (I9). */
  readonly startedAt: number | undefined;
  /** What was asked about it; undefined: nothing. */
  readonly approval: CallApproval | undefined;
  /** What the user was asked by it and answered; undefined: nothing, or not yet. */
  readonly answered: CallAnswer | undefined;
}

/** Without `answer` there is none, and `reason` says why. */
export interface CallAnswer {
  readonly answer: string | undefined;
  readonly reason: string | undefined;
}

export interface CallApproval {
  readonly approvalId: ApprovalId;
  readonly digest: string;
  readonly decision: 'pending' | 'granted' | 'denied';
  readonly reason: string | undefined;
}

/** Superset of the protocol's PendingApproval. */
export interface OpenApproval {
  readonly approvalId: ApprovalId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly tool: string;
  readonly asks: string;
  readonly digest: string;
  /** What would allow it from now on, as the user would write it. */
  readonly always?: readonly string[];
  readonly requestedAt: number;
}

export type TranscriptItem =
  | {
      readonly kind: 'message';
      readonly seq: number;
      readonly turnId: TurnId;
      readonly text: string;
      readonly facts: string | undefined;
      /** Texts of files in front of it, a block each; undefined: none. */
      readonly handed: readonly string[] | undefined;
      readonly images: readonly Image[] | undefined;
    }
  /** What the model is told when a trim clears something. */
  | {
      readonly kind: 'note';
      readonly seq: number;
      readonly turnId: TurnId;
      readonly text: string;
      /** Those that `text` ends with. */
      readonly rules: readonly ShownRules[];
    }
  /** What it is reminded of: it stays where it is. */
  | {
      readonly kind: 'reminder';
      readonly seq: number;
      readonly turnId: TurnId;
      readonly text: string;
      readonly about: Extract<SessionEvent, { kind: 'reminder.added' }>['about']['kind'];
    }
  | {
      readonly kind: 'answer';
      readonly seq: number;
      readonly turnId: TurnId;
      readonly requestId: RequestId;
      /** The model that wrote it: its reasoning goes back only to the same one. */
      readonly model: string;
      readonly content: readonly AssistantBlock[];
      readonly stopReason: StopReason;
    }
  | {
      readonly kind: 'toolResult';
      readonly seq: number;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly name: string;
      readonly outcome: ToolOutcome;
      readonly shown: string;
      readonly archiveId: ArchiveId | undefined;
      /** Calls whose results or arguments `shown` points to or differs from; undefined: it stands alone. */
      readonly leansOn: readonly CallId[] | undefined;
      readonly nothingNew: { readonly of: string; readonly times: number } | undefined;
      /** What it read or wrote, by path. */
      readonly touched: readonly string[] | undefined;
      /** The rules that its text ends with; they are no part of `shown`. */
      readonly rules: readonly ShownRules[];
      readonly images: readonly Image[] | undefined;
    };

export interface AnsweredRequest {
  readonly requestId: RequestId;
  readonly at: number;
  readonly model: string;
  readonly usage: Usage;
  /** When it was sent. */
  readonly startedAt: number;
  /** The provider's own name of the answer. */
  readonly responseId: string | undefined;
}

export interface SessionState {
  /** The newest event that was applied; 0: none. */
  readonly lastSeq: number;
  readonly lastAt: number;
  readonly created: CreatedFacts;
  readonly model: string;
  /** The one that was chosen while a turn runs and has not taken hold yet. */
  readonly chosenModel: string | undefined;
  readonly mode: Mode;
  /** The running turn. */
  readonly turn: RunningTurn | undefined;
  /** The transcript in the order of the log, without what the newest compaction replaced. */
  readonly items: readonly TranscriptItem[];
  /** Calls without result, oldest first; the runner lets none outlive the next answer. */
  readonly openCalls: readonly OpenCall[];
  readonly openRequest: OpenRequest | undefined;
  readonly pendingApprovals: readonly OpenApproval[];
  /** Approvals that can no longer be answered: answered, or their call or turn has ended. */
  readonly closedApprovals: ReadonlySet<ApprovalId>;
  /** Each file as the model last saw or wrote it, by path. */
  readonly seen: ReadonlyMap<string, SeenFile>;
  /** What the transcript shows of each file, trims aside, by path. */
  readonly known: ReadonlyMap<string, KnownFile>;
  /** What the model was told of changes to files since it last saw or wrote them, by path. */
  readonly told: ReadonlyMap<string, ToldChange>;
  readonly usedCallIds: ReadonlySet<CallId>;
  /** The models of which the user was told that they do not cache. */
  readonly cacheWarned: ReadonlySet<string>;
  readonly budget: SessionBudget;
  /** The newest answered request; undefined also when a compaction has replaced the prompt that it had. */
  readonly lastRequest: AnsweredRequest | undefined;
  /** Those that were answered: the transcript has an answer for each, in this order. */
  readonly requests: readonly AnsweredRequest[];
  /** How each model was sent what every prompt begins with. */
  readonly fixedUses: FixedUses;
  readonly trims: Trims;
  readonly compactions: Compactions;
  /** In the order in which they will be submitted. */
  readonly queue: readonly QueuedPrompt[];
  /** The last turn did not end well: nothing of the queue begins before the user says something. */
  readonly paused: boolean;
  /** The mode that the model knows of; undefined: it was not asked anything yet. */
  readonly toldMode: Mode | undefined;
  /** The working folder that the model knows of; undefined: it was not told of any yet. */
  readonly toldFolder: string | undefined;
  readonly pendingQuestions: readonly OpenQuestion[];
  /** Questions that can no longer be answered. */
  readonly closedQuestions: ReadonlySet<QuestionId>;
  /** Those that work for open calls. */
  readonly subagents: readonly Subagent[];
  /** By id, in the order in which they began. */
  readonly jobs: ReadonlyMap<JobId, JobState>;
  readonly memory: Memory;
  /** The content of files of rules as a reminder told it since the newest compaction, by path; undefined: that it is gone. */
  readonly rulesTold: ReadonlyMap<string, string | undefined>;
  /** What the prompt tells of outside tools, by server. */
  readonly serversTold: ToldServers;
  /** Images that the provider in use refused, with its words. */
  readonly refusedImages: ReadonlyMap<ArchiveId, string>;
}

/** What the session may spend by the user's own word. */
export interface SessionBudget {
  /** Undefined: the settings decide. */
  readonly own: SpendingLimit | undefined;
  /** What was allowed besides, of the session with its sub-agents and of those alone. */
  readonly raised: SpendingLimit;
  readonly subagentsRaised: SpendingLimit;
  /** Models of which the user was told that no limit in money holds for them. */
  readonly warned: readonly string[];
}

export interface Compactions {
  /** The newest one; its summary is sent in front of everything. */
  readonly newest: NewestCompaction | undefined;
  /** How many requests of the session were answered at each, oldest first. */
  readonly made: readonly number[];
  /** The same when a summary was last asked for; undefined: never. */
  readonly triedAt: number | undefined;
  /** Requests of the session that were answered, requests beside the conversation aside. */
  readonly answered: number;
  /** Calls of the session that are no longer in the transcript. */
  readonly calls: number;
}

export interface NewestCompaction {
  readonly seq: number;
  readonly throughSeq: number;
  readonly summary: string;
  /** Rules that it repeats. */
  readonly rules: readonly ShownRules[];
  /** How many requests were left in the transcript. */
  readonly kept: number;
  /** Tokens that the model wrote for it; undefined: its endpoint does not say. */
  readonly written: number | undefined;
}
