/** What the user's configuration says of outside tools, and how long is waited for a server. */
import type { NamedEntry } from './entries.ts';

export interface McpDeadlines {
  /** From its start until it has introduced itself. */
  readonly connectMs: number;
  /** Until all its tools are listed. */
  readonly listMs: number;
  /** A call, since it last said that it goes on. */
  readonly callMs: number;
  /** A call in all. */
  readonly totalMs: number;
}

export const usualMcpDeadlines: McpDeadlines = {
  connectMs: 30_000,
  listMs: 30_000,
  callMs: 60_000,
  totalMs: 10 * 60_000,
};

export interface McpSettings {
  readonly servers: readonly NamedEntry[];
  /** Tokens of what a model is told of them at once; absent: by its window. */
  readonly limit?: number;
  readonly deadlines: McpDeadlines;
}
