/** What sub-agents offer to the turns of the runner, and what they need of it. */
import type { OpenCall } from '@zerd/core/session/state';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { HandedFiles } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Store, ToolResult } from '../../base/ports.ts';
import type { Waits } from '../../base/waits.ts';
import type { Config } from '../../config/load.ts';
import type { Book } from '../book.ts';
import type { ClientEnv, Delta } from '../runner.ts';
import type { TurnContext } from '../turn-context.ts';

export interface Subagents {
  /** A failure that is expected is a result. */
  delegate(task: Delegated): Promise<ToolResult>;
}

export interface Delegated {
  /** The parent's. */
  readonly turn: TurnContext;
  readonly env: ClientEnv;
  readonly call: OpenCall;
  readonly input: ToolInput<'task'>;
}

export interface ChildTurns {
  start(wish: ChildWish): Promise<{ readonly turnId: TurnId }>;
  /** Settles when no turn of the session runs. */
  ended(sessionId: SessionId): Promise<unknown>;
  /** `reason`: what the log gets. */
  interrupt(sessionId: SessionId, turnId: TurnId, reason: string): Promise<unknown>;
}

export interface ChildWish {
  readonly env: ClientEnv;
  readonly sessionId: SessionId;
  readonly text: string;
  readonly headless: boolean;
  readonly trust: true;
  /** Goes behind the facts of the moment. */
  readonly situation: string;
  readonly handed: HandedFiles | undefined;
}

export interface ChildParts {
  readonly store: Store;
  readonly book: Book;
  readonly clock: Clock;
  readonly readConfig: () => Config;
  readonly waits: Waits;
  onDelta(listener: (delta: Delta) => void): Disposable;
}
