/**
 * Gives a session its servers of outside tools. Invariant: a session that began without any has no tool for them, and its
 * requests are what they would be if there were none.
 */
import { declares } from '@zerd/core/tools/declarations';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { McpEnv } from '../base/mcp-ports.ts';
import type { OutsideTools } from '../base/ports.ts';
import type { RunnerParts, TurnParts } from './parts.ts';

/** One that failed may answer later; one that nobody has approved may not, nor any on trust for one run. */
export function hasOutsideTools({ mcp, trust }: Pick<RunnerParts, 'mcp' | 'trust'>): boolean {
  if (mcp === undefined || !trust.trusted()) return false;
  return mcp.servers().some(({ state }) => state.kind !== 'unapproved');
}

export function outsideOf(
  { mcp, book }: Pick<TurnParts, 'mcp' | 'book'>,
  sessionId: SessionId,
  env: McpEnv,
): OutsideTools | undefined {
  if (mcp === undefined || !declares(book.state(sessionId).created.tools, 'mcp')) return undefined;
  return {
    servers: () => mcp.servers(),
    learn: (signal) => mcp.learn(env, signal),
    call: (call) => mcp.call({ ...call, env }),
  };
}
