/** What the runner is made of: handed in from outside, or made once and shared by its turns. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Jobs } from '../base/job-ports.ts';
import type { Locks } from '../base/locks.ts';
import type { Log } from '../base/log.ts';
import type { McpPort } from '../base/mcp-ports.ts';
import type { OpenFileWatch, Search, Store } from '../base/ports.ts';
import type { Waits } from '../base/waits.ts';
import type { Config } from '../config/load.ts';
import type { WorkFolder } from '../files/work-folder.ts';
import type { Gate } from '../permissions/gate.ts';
import type { GrantRoom } from '../permissions/grants.ts';
import type { Book } from './book.ts';
import type { BudgetDesk } from './budget/desk.ts';
import type { KeyLimits } from './key-limits.ts';
import type { ModelChoices } from './models/model-choices.ts';
import type { ProbedWindows } from './probed-windows.ts';
import type { Questions } from './questions/questions.ts';
import type { EnvOffers } from './resume/env-offers.ts';
import type { ClientEnv, Delta, OutputListener } from './runner.ts';
import type { Subagents } from './subagent/ports.ts';
import type { KeepWarm } from './turn-context.ts';

export interface RunnerParts {
  /** The workspace: a real path. */
  readonly root: string;
  readonly store: Store;
  /** The daemon's own: for turns that go on without a client. It holds no key. */
  readonly env: ClientEnv;
  /** What the user allowed besides the mode; absent: nothing. */
  readonly grants?: Pick<GrantRoom, 'now' | 'add'>;
  readonly trust: { trusted(): boolean; broken?(): string | undefined };
  /** The user's settings as they are now. */
  readonly readConfig: () => Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly search: Search;
  readonly jobs: Jobs;
  readonly openFileWatch: OpenFileWatch;
  readonly windows: ProbedWindows;
  /** The servers of outside tools; absent: there are none. */
  readonly mcp?: McpPort;
  /** Shared with the other rooms that wait; absent: only turns do. */
  readonly waits?: Waits;
  /** Names this build, for what only it may read again; undefined: it may change under its name. */
  readonly foldBuild?: () => string | undefined;
}

export interface TurnParts extends RunnerParts {
  readonly book: Book;
  readonly gate: Gate;
  readonly questions: Questions;
  readonly prompts: Locks;
  readonly folder: WorkFolder;
  readonly envOffers: EnvOffers;
  readonly waits: Waits;
  readonly keepWarm: KeepWarm;
  readonly keyLimits: KeyLimits;
  readonly modelChoices: ModelChoices;
  readonly budgets: BudgetDesk;
  readonly sendDelta: (delta: Delta) => void;
  readonly outputListeners: ReadonlySet<OutputListener>;
  readonly subagents: Subagents;
}
