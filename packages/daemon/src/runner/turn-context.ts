/** What one running turn works with, handed to each step: a frozen value, but for the model that answers. */
import type { Caps } from '@zerd/core/context/admit/caps';
import type { ReliefRule } from '@zerd/core/context/relieve/plan-relief';
import type { ModelSettings } from '@zerd/core/model/prompt';
import type { Grants } from '@zerd/core/permissions/decide';
import type { OpenCall, SessionState } from '@zerd/core/session/state';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Deadlines, Provider } from '@zerd/providers/provider';
import type { Jobs } from '../base/job-ports.ts';
import type { Locks } from '../base/locks.ts';
import type { Log } from '../base/log.ts';
import type { FoundSkill, MemoryPort } from '../base/memory-ports.ts';
import type { Archive, FileWatch, OutsideTools, Search, ToolResult, Transcripts } from '../base/ports.ts';
import type { Waits } from '../base/waits.ts';
import type { ResolvedModel } from '../config/models.ts';
import type { RulesSettings } from '../config/rules.ts';
import type { WorkFolder } from '../files/work-folder.ts';
import type { Gate } from '../permissions/gate.ts';
import type { BudgetDesk } from './budget/desk.ts';
import type { KeyLimits } from './key-limits.ts';
import type { Questions } from './questions/questions.ts';
import type { CommandOutputNotice, Delta } from './runner.ts';
import type { WhenRoom } from './when-room.ts';

/** Keeps the prompt of a waiting session in its provider's cache; see `keep-warm`. */
export interface KeepWarm {
  /** The session begins to wait. */
  begin(turn: TurnContext): void;
  /** It goes on: settles when nothing is in flight any more. */
  end(sessionId: SessionId): Promise<void>;
  /** Ends all, and begins none again. */
  close(): Promise<void>;
}

export interface TurnContext {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  /** Aborted by an interrupt or when the daemon stops; the reason is the text that the log gets. */
  readonly signal: AbortSignal;
  readonly root: string;
  /** When it began, or went on, in this process: in terms of clock.now(). */
  readonly begunAt: number;
  readonly folder: WorkFolder;
  /** These three change with `takeUpModel` alone. */
  readonly model: ResolvedModel;
  readonly settings: ModelSettings;
  readonly provider: Provider;
  readonly deadlines: Deadlines;
  /** The model that sums up conversations; undefined: this one. */
  readonly summarizer: ResolvedModel | undefined;
  /** Milliseconds that a summary may take in all. */
  readonly compactionMs: number;
  /** Milliseconds that a tool may run without progress. */
  readonly toolMs: number;
  readonly caps: Caps;
  readonly rules: RulesSettings;
  /** Requests whose results stay whole when older ones are cleared. */
  readonly window: number;
  /** When that is. */
  readonly relief: ReliefRule;
  readonly toolEnv: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly archive: Archive;
  readonly transcripts: Transcripts;
  readonly search: Search;
  readonly jobs: Jobs;
  /** How long a command may run before it goes on as a job. */
  readonly jobAfterMs: number;
  readonly memory: MemoryPort;
  /** Those that there are now. */
  readonly skills: () => Promise<readonly FoundSkill[]>;
  /** The servers of outside tools; undefined: the session has no tool for them. */
  readonly outside: OutsideTools | undefined;
  /** Tokens of what the model is told of them at once; undefined: by the window of the model. */
  readonly outsideLimit: number | undefined;
  readonly fileWatch: FileWatch;
  readonly gate: Gate;
  /** What the user allows besides the mode, now. */
  readonly grants: () => Grants;
  readonly questions: Questions;
  /** Tasks that submit or change waiting prompts of a session: one after another. */
  readonly prompts: Locks;
  readonly waits: Waits;
  readonly keepWarm: KeepWarm;
  readonly keyLimits: KeyLimits;
  readonly budgets: BudgetDesk;
  /** Before a request: the model that was chosen since the last one takes hold. */
  takeUpModel(): Promise<void>;
  /** Another model is chosen while the turn runs. */
  onModelChosen(listener: () => void): Disposable;
  state(): SessionState;
  /** The whole log of the session. */
  events(): readonly LoggedEvent[];
  /** The end of it: enough to find the last requests. */
  newestEvents(): readonly LoggedEvent[];
  append(events: readonly SessionEvent[]): Promise<SessionState>;
  /** Holds what a full disk refuses until there is room. */
  readonly whenRoom: WhenRoom;
  /** Kept in the session at the top of its tree. */
  raiseBudget(event: Extract<SessionEvent, { kind: 'budget.raised' }>): Promise<void>;
  /** Somebody looks on. */
  outputWanted(): boolean;
  sendOutput(output: Omit<CommandOutputNotice, 'sessionId' | 'turnId'>): void;
  sendDelta(delta: Omit<Delta, 'sessionId' | 'turnId'>): void;
  /** Gives the task of this call to a sub-agent. */
  delegate(call: OpenCall, input: ToolInput<'task'>): Promise<ToolResult>;
}
