/** What the parts of the room of outside tools share. */
import type { McpSettings } from '@zerd/core/mcp/settings';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Network } from '@zerd/providers/provider';
import type { Log } from '../base/log.ts';
import type { McpEnv } from '../base/mcp-ports.ts';

export interface McpParts {
  /** The workspace: a real path. */
  readonly root: string;
  /** The user's private folder for it. */
  readonly stateFolder: string;
  readonly clock: Clock;
  /** By which a server that nobody calls is let go, so that waiting for that wakes nobody. */
  readonly idleClock: Clock;
  readonly log: Log;
  readonly trusted: () => boolean;
  /** The user's settings as they are now. */
  readonly settings: () => McpSettings;
  /** What a program may see of a client's environment. */
  readonly toolEnv: (env: McpEnv) => Readonly<Record<string, string>>;
  /** How connections leave the machine. */
  readonly network: (env: McpEnv) => Network | undefined;
}
