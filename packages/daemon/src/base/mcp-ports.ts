/** The port of outside tools. Invariant: what a repository alone names is never started; every wait in it ends. */
import type { McpServer, McpState } from '@zerd/core/mcp/server';
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

/** What people see and do of it, beside what turns use. */
export interface McpDesk extends McpPort {
  /** Starts nothing and waits for nothing. */
  list(): McpListing;
  /** Rejects with untrusted, or invalid_params where what stands there is not what `digest` was of. */
  approve(name: string, digest: string): void;
  /** The server ends. False: there was no word to take back. */
  revoke(name: string): boolean;
  /** Ends it and connects it anew. Rejects with invalid_params when there is no such server. */
  restart(name: string, env: McpEnv): Promise<void>;
  /**
   * Takes servers of a client's user, as a configuration has them, until the client is gone. What of them has no effect
   * is answered.
   */
  lend(servers: Readonly<Record<string, unknown>>, until: Promise<unknown>): readonly string[];
  /** Servers of which something is left that could not be ended yet. */
  left(): readonly { readonly name: string; readonly pids: readonly number[] }[];
  /** Ends all servers. */
  close(): Promise<void>;
}

export interface McpListing {
  readonly servers: readonly McpRow[];
  /** What of the entries has no effect, or not the one that was meant. */
  readonly warnings: readonly string[];
}

export interface McpRow {
  readonly name: string;
  readonly source: 'user' | 'repository';
  /** The whole command or address; values that may be secrets are left out. */
  readonly text: string;
  readonly digest: string;
  /** The files of the workspace that the digest covers, relative to the root. */
  readonly files: readonly string[];
  readonly state: McpState;
  readonly connected: boolean;
  /** It was begun, and its tools are not listed yet. */
  readonly connecting?: boolean;
  /** Why it could not be reached when it was last tried, though its tools may be known. */
  readonly lastFailure?: string;
  /** Why tools of it are left out, a sentence each. */
  readonly leftOut: readonly string[];
}

/** What `${NAME}` in an entry stands for: the whole environment of the session's client. Kept in memory only. */
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
