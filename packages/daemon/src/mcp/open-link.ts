/** Brings a server to where its tools are known: prepared, connected, listed, each within its deadline (I8). */
import { cleanInstructions, cleanTools } from '@zerd/core/mcp/clean-tools';
import type { McpDeadlines } from '@zerd/core/mcp/settings';
import type { McpEnv } from '../base/mcp-ports.ts';
import type { Children } from './children.ts';
import type { Connect, Connection } from './connection.ts';
import { plainWords, whyOf } from './failure-text.ts';
import type { FoundServer } from './find-servers.ts';
import type { Known } from './known-tools.ts';
import type { Prepared } from './prepare.ts';
import type { McpParts } from './room.ts';
import { within } from './within.ts';

export interface LinkParts extends McpParts {
  readonly connect: Connect;
  readonly children: Children;
}

export interface OpenWish {
  readonly server: FoundServer;
  readonly env: McpEnv;
  readonly prepared: Exclude<Prepared, { kind: 'unable' }>;
  readonly onToolsChanged: () => void;
  readonly signal: AbortSignal;
}

export type Opened =
  | { readonly kind: 'open'; readonly connection: Connection; readonly known: Known }
  | { readonly kind: 'failed'; readonly why: string };

export async function openLink(parts: LinkParts, wish: OpenWish): Promise<Opened> {
  const { deadlines } = parts.settings();
  const connection = await connectWithin(parts, wish, deadlines.connectMs);
  if (typeof connection === 'string') return { kind: 'failed', why: plainWords(connection, wish.prepared.secrets) };
  const known = await listWithin(parts, connection, wish.signal);
  if (typeof known !== 'string') return { kind: 'open', connection, known };
  void connection.close();
  return { kind: 'failed', why: plainWords(known, wish.prepared.secrets) };
}

/** A text: why not. */
async function connectWithin(parts: LinkParts, wish: OpenWish, ms: number): Promise<Connection | string> {
  const { root, clock, network, children } = parts;
  let lastWords = () => '';
  const limit = { ms, signal: wish.signal };
  const outcome = await within(clock, limit, (signal) =>
    parts.connect({
      name: wish.server.name,
      prepared: wish.prepared,
      root,
      clock,
      network: network(wish.env),
      children,
      onToolsChanged: wish.onToolsChanged,
      onOpen(read) {
        lastWords = read;
      },
      signal,
    }),
  );
  if (outcome.kind === 'done') return outcome.value;
  if (outcome.kind === 'failed') return whyOf(outcome.error);
  if (outcome.kind === 'interrupted') return 'it was ended before it had begun';
  return `it did not introduce itself within ${ms / 1_000} s${wordsBehind(lastWords())}`;
}

/** What a server offers now. A text: why that is not known. */
export async function listWithin(
  { clock, settings }: Pick<LinkParts, 'clock' | 'settings'>,
  connection: Connection,
  signal: AbortSignal,
): Promise<Known | string> {
  const { listMs }: McpDeadlines = settings().deadlines;
  const outcome = await within(clock, { ms: listMs, signal }, (own) => connection.listTools(own));
  if (outcome.kind === 'done')
    return { ...cleanTools(outcome.value), instructions: cleanInstructions(connection.instructions) };
  if (outcome.kind === 'failed') return `its tools could not be listed: ${whyOf(outcome.error)}`;
  if (outcome.kind === 'interrupted') return 'it was ended before its tools were listed';
  return `it did not list its tools within ${listMs / 1_000} s`;
}

function wordsBehind(words: string): string {
  return words === '' ? '' : `; ${words}`;
}
