/** The port of outside tools. Invariant: what a repository alone names is never started; every wait in it ends. */
import type { McpServer } from '@zerd/core/mcp/server';
import type { JsonObject } from '@zerd/protocol/common/json';

/** MCP servers of one repository, shared by its sessions. Nothing is loaded or started before it is used. */
export interface McpPort {
  /** By name, as they are known now. Starts nothing and waits for nothing. */
  servers(): readonly McpServer[];
  /** Connects those of which nothing is known yet, side by side; settles when each is known or has failed. Never rejects. */
  learn(env: McpEnv, signal: AbortSignal): Promise<readonly McpServer[]>;
  /** Connects where that is needed. A failure is a result, never a rejection; a signal settles it at once. */
  call(call: McpCall): Promise<McpAnswer>;
}

/** What `${NAME}` in an entry stands for: the environment of the session's client. Kept in memory only. */
export type McpEnv = Readonly<Record<string, string>>;

export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly env: McpEnv;
  readonly signal: AbortSignal;
  /** The server says that it goes on: that counts as progress. */
  readonly onProgress?: (says: string) => void;
}

export interface McpAnswer {
  readonly outcome: 'ok' | 'failed' | 'interrupted' | 'unknown';
  readonly content: readonly McpContent[];
}

export type McpContent =
  | { readonly kind: 'text'; readonly text: string }
  /** An image, sound or other body. */
  | { readonly kind: 'binary'; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string };
