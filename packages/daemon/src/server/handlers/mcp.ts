/** Outside tools: what there is, the user's word for it, and calls that belong to no session. */
import type { JsonObject } from '@zerd/protocol/common/json';
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { McpContent, McpDesk, McpRow } from '../../base/mcp-ports.ts';
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

type Method = 'mcp/list' | 'mcp/approve' | 'mcp/revoke' | 'mcp/restart' | 'mcp/lend' | 'mcp/call';

export function mcpHandlers({ mcp, log }: House): Pick<Handlers, Method> {
  return {
    'mcp/list': () => listed(mcp),
    'mcp/approve'({ name, digest }, caller) {
      mcp.approve(name, digest);
      log.info('outside tools: approved by a client', { server: name, client: caller.id });
      return {};
    },
    'mcp/revoke': ({ name }) => ({ revoked: mcp.revoke(name) }),
    async 'mcp/restart'({ name }, caller) {
      await mcp.restart(name, envOf(caller));
      return listed(mcp);
    },
    'mcp/lend': ({ servers }, caller) => ({ faults: [...mcp.lend(servers, caller.link.closed)] }),
    async 'mcp/call'({ server, tool, arguments: given }, caller) {
      const gone = new AbortController();
      void caller.link.closed.then(() => gone.abort());
      const call = { server, tool, arguments: given as JsonObject, env: envOf(caller), signal: gone.signal };
      const { outcome, content } = await mcp.call(call);
      return { outcome, content: content.map(told) };
    },
  };
}

function listed(mcp: McpDesk): ResultInputOf<'mcp/list'> {
  const { servers, warnings } = mcp.list();
  return { servers: servers.map(rowOf), warnings: [...warnings] };
}

function rowOf({ state, lastFailure, files, leftOut, ...row }: McpRow) {
  const why = state.kind === 'failed' ? state.why : lastFailure;
  const tools = state.kind === 'ready' ? state.tools : [];
  return {
    ...row,
    files: [...files],
    leftOut: [...leftOut],
    state: state.kind,
    ...(why === undefined ? {} : { why }),
    tools: tools.map(({ name, description }) => ({ name, says: firstLine(description) })),
  };
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.slice(0, 200);
}

/** More is not sent to a client; a session keeps the whole of it in its archive. */
const mostCharacters = 1_000_000;

function told(part: McpContent) {
  if (part.kind === 'binary') return { ...part, bytes: part.bytes.length };
  if (part.kind === 'link' || part.text.length <= mostCharacters) return part;
  const rest = part.text.length - mostCharacters;
  return { ...part, text: `${part.text.slice(0, mostCharacters)}\n[${rest} more characters are left out]` };
}
