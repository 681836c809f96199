/**
 * Outside tools: MCP servers as somebody wrote them down, and the tools that they name. All text of a server is foreign:
 * it is cleaned and bounded before it is kept here, and nothing of it decides what may run.
 */
import type { JsonObject } from '@zerd/protocol/common/json';

/** How a server is reached. Its digest is what the user's word holds for: another byte of it is another server. */
export type McpEntry =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface McpTool {
  readonly name: string;
  /** As the server describes it; '' when it does not. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
}

/** What became of a server; only of a `ready` one tools are known. */
export type McpState =
  /** Its tools are known, from it or from when it was last connected. */
  | { readonly kind: 'ready'; readonly tools: readonly McpTool[]; readonly instructions: string }
  /** Never connected yet, or on the way. */
  | { readonly kind: 'unknown' }
  /** A repository names it, and the user has not said yes to what stands there now. */
  | { readonly kind: 'unapproved' }
  | { readonly kind: 'failed'; readonly why: string };

export interface McpServer {
  /** Letters, digits, `-` and `_`. */
  readonly name: string;
  readonly state: McpState;
}
