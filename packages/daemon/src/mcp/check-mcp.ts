/** What `zerd doctor` says of outside tools. */
import type { McpDesk, McpRow } from '../base/mcp-ports.ts';

export function checkMcp(mcp: Pick<McpDesk, 'list' | 'left'>) {
  const { servers, warnings } = mcp.list();
  const left = mcp.left();
  const failing = servers.filter(({ state, lastFailure }) => state.kind === 'failed' || lastFailure !== undefined);
  const waiting = servers.filter(({ state }) => state.kind === 'unapproved').map(({ name }) => name);
  const says = [
    servers.length === 0 ? 'No MCP servers.' : `${servers.length} MCP servers: ${servers.map(stateText).join(', ')}.`,
    ...failing.map((row) => `${row.name}: ${whyOf(row)}.`),
    ...left.map(
      ({ name, pids }) => `Of ${name}, processes ${pids.join(', ')} are still there; zerd goes on ending them.`,
    ),
    ...warnings,
  ].join(' ');
  if (failing.length + left.length + warnings.length > 0)
    return { ok: false, says, todo: 'Mend the entries, then `zerd mcp restart NAME`; `zerd mcp` shows them.' };
  if (waiting.length === 0) return { ok: true, says };
  return {
    ok: true,
    says,
    todo: `Look at what they are with \`zerd mcp\`, and say yes with \`zerd mcp approve NAME\`.`,
  };
}

function stateText({ name, state, connected, connecting }: McpRow): string {
  if (connecting === true) return `${name} being connected`;
  if (state.kind === 'ready') return `${name} with ${state.tools.length} tools${connected ? ', connected' : ''}`;
  const words = { unknown: 'not connected yet', unapproved: 'not approved', failed: 'failed' };
  return `${name} ${words[state.kind]}`;
}

function whyOf({ state, lastFailure = '' }: McpRow): string {
  return state.kind === 'failed' ? state.why : lastFailure;
}
