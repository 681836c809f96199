/** The commands that show a page: what the session cost, sees, changed and keeps in mind, and what a search finds. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { type Desk, sessionOf } from './desk.ts';
import { textLines } from './overlay.ts';
import { dollars, thousands } from './status-line.ts';

export async function showCost(desk: Desk): Promise<void> {
  const { totals, byModel, session } = await desk.feed.request('cost/read', { sessionId: sessionOf(desk) });
  const rows = [
    `${requests(totals)}, ${dollars(totals.costPico)}${totals.unpricedRequests > 0 ? `, and ${totals.unpricedRequests} without a price` : ''}`,
    `${thousands(totals.cacheRead)} tokens read from the cache, ${thousands(totals.cacheWrite)} written to it, ${thousands(totals.uncached)} uncached, ${thousands(totals.output)} of output`,
    ...byModel.map(({ model, totals: own }) => `  ${model}: ${requests(own)}, ${dollars(own.costPico)}`),
  ];
  const misses = (session?.misses ?? []).map(
    ({ says, costPico }) => `  ${says}${costPico === null ? '' : ` (${dollars(costPico)})`}`,
  );
  const advice = session?.advice ?? [];
  desk.page('Cost', [
    ...textLines(sanitise(rows.join('\n'))),
    ...(misses.length === 0
      ? []
      : [[], [span('Paid twice:', theme.strong)], ...textLines(sanitise(misses.join('\n')))]),
    ...(advice.length === 0
      ? []
      : [[], [span('Worth acting on:', theme.strong)], ...textLines(sanitise(advice.join('\n')))]),
  ]);
}

function requests({ requests: count }: { readonly requests: number }): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

export async function showContext(desk: Desk): Promise<void> {
  const { outline, bytes, tokens, contextWindow } = await desk.feed.request('context/read', {
    sessionId: sessionOf(desk),
  });
  const head = `${tokens === undefined ? `${bytes} bytes` : `${thousands(tokens)} tokens`}${contextWindow === undefined ? '' : ` of ${thousands(contextWindow)}`}`;
  const blocks = outline?.messages.flatMap(({ role, blocks: own }) => own.map((block) => ({ role, ...block }))) ?? [];
  const tools = outline?.tools.reduce((sum, tool) => sum + tool.bytes, 0) ?? 0;
  const most = Math.max(1, outline?.system.bytes ?? 0, tools, ...blocks.map((block) => block.bytes));
  const bar = (size: number) => '█'.repeat(Math.ceil((16 * size) / most)).padEnd(16);
  const row = (what: string, size: number, about: string) =>
    `${bar(size)} ${String(size).padStart(8)}  ${what.padEnd(10)} ${about}`;
  const rows = [
    row('system', outline?.system.bytes ?? 0, outline?.system.about ?? ''),
    row('tools', tools, `${outline?.tools.length ?? 0} of them`),
    ...blocks.map(({ kind, bytes: size, about, stub }) =>
      row(stub ? `${kind}*` : kind, size, about.split('\n')[0] ?? ''),
    ),
  ];
  const about: Line = [span('bytes of each part; of those with * only an excerpt is left', theme.dim)];
  desk.page(`Context: ${head}`, [about, ...textLines(sanitise(rows.join('\n')))], { breaks: 'never' });
}

export function showDiff(desk: Desk): void {
  if (desk.diffs.length === 0) {
    desk.say('dim', 'Nothing was changed in this session.');
    return;
  }
  const lines = desk.diffs
    .join('\n')
    .split('\n')
    .map((line): Line => {
      const style = line.startsWith('+')
        ? theme.added
        : line.startsWith('-')
          ? theme.removed
          : line.startsWith('@@')
            ? theme.hunk
            : {};
      return [span(line.replaceAll('\t', '    '), style)];
    });
  desk.page('Changes of this session', lines, { breaks: 'anywhere' });
}

export function showTodo(desk: Desk): void {
  desk.page('Steps', textLines(sanitise(desk.todo === '' ? 'No steps yet.' : desk.todo)));
}

export async function search(desk: Desk, rest: string): Promise<void> {
  if (rest === '') return desk.say('warn', 'Say what to search: /search PATTERN');
  const found = await desk.feed.request('search/query', { pattern: rest });
  const { totalMatches, totalFiles } = found;
  const counts = `${totalMatches} ${totalMatches === 1 ? 'match' : 'matches'} in ${totalFiles} ${totalFiles === 1 ? 'file' : 'files'}`;
  desk.page(`Search: ${sanitiseLine(rest)}: ${counts}`, textLines(sanitise(searchText(found))));
}

/** An answer that is not whole never says that there is nothing. */
function searchText({ hits, totalMatches, incomplete, partial }: ResultOf<'search/query'>): string {
  const more = totalMatches - hits.filter(({ column }) => column !== undefined).length;
  return [
    ...hits.map(({ path, line, text }) => `${path}:${line}: ${text}`),
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(incomplete === undefined ? [] : [`incomplete: ${incomplete}`]),
    ...(partial === true ? ['hidden and ignored files were not searched'] : []),
    ...(hits.length === 0 && incomplete === undefined ? ['nothing found'] : []),
  ].join('\n');
}
