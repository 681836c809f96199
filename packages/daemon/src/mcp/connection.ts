/** A connected server, as the rest of the room sees it: the SDK lies behind it and is loaded with the first one. */
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Network } from '@zerd/providers/provider';
import type { Children } from './children.ts';
import type { Prepared } from './prepare.ts';

export interface Connection {
  readonly instructions: string | undefined;
  /** Settles, with why, when it is over. Never rejects. */
  readonly ended: Promise<string>;
  /** Rejects with what went wrong. */
  listTools(signal: AbortSignal): Promise<readonly unknown[]>;
  /** Rejects with what went wrong; its value is as the server gave it. */
  callTool(call: ToolCall): Promise<unknown>;
  /** Ends it and all that it started. Never rejects. */
  close(): Promise<void>;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress: (says: string) => void;
}

export interface ConnectWish {
  readonly name: string;
  readonly prepared: Exclude<Prepared, { kind: 'unable' }>;
  readonly root: string;
  readonly clock: Clock;
  readonly network: Network | undefined;
  readonly children: Children;
  /** Something of it runs now; `lastWords` says, at any time, how it ended and what it complained of. */
  readonly onOpen: (lastWords: () => string) => void;
  /** What it offers has changed. */
  readonly onToolsChanged: () => void;
  readonly signal: AbortSignal;
}

/** Rejects with why it cannot be reached; nothing of the attempt is left then. */
export type Connect = (wish: ConnectWish) => Promise<Connection>;
