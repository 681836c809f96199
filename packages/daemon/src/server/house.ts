/** What the server is handed: the rooms of one repository's daemon, put together by `compose`. Frozen. */
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { Check } from '@zerd/protocol/common/search';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Credentials } from '../base/credential-ports.ts';
import type { Jobs } from '../base/job-ports.ts';
import type { Log } from '../base/log.ts';
import type { McpDesk } from '../base/mcp-ports.ts';
import type { SearchService, Store } from '../base/ports.ts';
import type { ClientEnv, Runner } from '../runner/runner.ts';

export interface House {
  /** The repository: a real path. */
  readonly root: string;
  readonly stateFolder: string;
  readonly logFile: string;
  readonly startedAt: number;
  readonly store: Store;
  readonly runner: Runner;
  readonly jobs: Jobs;
  readonly trust: { trusted(): boolean; set(trusted: boolean): Promise<void> };
  readonly grants: GrantPort;
  readonly config: ConfigView;
  readonly auth: AuthRoom;
  readonly search: SearchService;
  /** Outside tools. */
  readonly mcp: McpDesk;
  /** What `zerd doctor` looks at. */
  readonly checks: readonly DoctorCheck[];
  readonly clock: Clock;
  readonly log: Log;
  /** Ends as soon as nobody needs it any more. */
  readonly yieldTo: (version: string) => void;
  /** Begins to stop; returns at once. */
  readonly shutdown: (why: string) => void;
}

/** One room's word on whether it is in order. */
export interface DoctorCheck {
  readonly name: string;
  run(): Promise<Omit<Check, 'name'>>;
}

/** The commands that the user allowed for good. */
export interface GrantPort {
  list(): ResultInputOf<'grant/list'>;
  add(rules: readonly string[]): Promise<void>;
  remove(rule: string): Promise<void>;
}

export interface AuthRoom {
  /** Where each provider's key comes from; `env` is the client's. */
  status(env: ClientEnv): ResultInputOf<'auth/status'>;
  readonly credentials: Credentials;
}

export interface ConfigView {
  /** The settings in force without secrets; `env` decides which models have their key. */
  read(env: ClientEnv): ResultInputOf<'config/read'> | Promise<ResultInputOf<'config/read'>>;
  skills(env: ClientEnv): Promise<ResultInputOf<'skill/list'>>;
  /** What of the settings and of the environment has no effect, or not the one that was meant. */
  warnings(env: ClientEnv): readonly string[];
}
