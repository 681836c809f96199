/**
 * Puts into words what a session paid twice and what is worth acting on. Invariant: where nothing is, nothing is said;
 * what was decided because it saves is told apart from what went wrong.
 */
import type { SessionCost } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { counted, dollars, money, thousands } from './cost-line.ts';
import { table } from './table.ts';

/** Empty: there is nothing to say. */
export function costReport(session: SessionCost): string {
  const { misses, subagents, byPurpose } = session;
  const beside = byPurpose.filter(({ purpose }) => purpose !== 'turn');
  const lines = [
    ...beside.map(({ purpose, totals }) => `${purposes[purpose] ?? purpose}: ${spent(totals)}`),
    ...(subagents.requests > 0 ? [`sub-agents, beside that: ${spent(subagents)}`] : []),
    ...silent(session),
    ...(session.reasoning === undefined ? [] : [sanitiseLine(session.reasoning)]),
    ...missLines(
      misses.filter(({ planned }) => !planned),
      'paid again though the cache had held it',
    ),
    ...missLines(
      misses.filter(({ planned }) => planned),
      'written anew on purpose, as it was expected to save more',
    ),
    ...adviceLines(session),
  ];
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const purposes: Readonly<Record<string, string>> = {
  compaction: 'summaries',
  keepWarm: 'kept warm',
  failed: 'answers that broke off',
};

function spent(totals: SessionCost['subagents']): string {
  return `${money(totals)} in ${counted(totals.requests, 'request')}`;
}

function silent({ notReported }: SessionCost): readonly string[] {
  if (notReported.length === 0) return [];
  return [
    `${notReported.map(sanitiseLine).join(', ')}: the endpoint says nothing of its cache, so nothing is known of misses`,
  ];
}

type Miss = SessionCost['misses'][number];

const blames: Readonly<Record<Miss['blame'], string>> = {
  ours: 'zerd',
  yours: 'you',
  provider: 'provider',
  unknown: 'unknown',
};

/** The dearest, at most so many. */
const mostMisses = 12;

function missLines(misses: readonly Miss[], what: string): readonly string[] {
  if (misses.length === 0) return [];
  const tokens = misses.reduce((sum, miss) => sum + miss.tokens, 0);
  const head = `${thousands(tokens)} tokens were ${what}: ${price(misses)}`;
  const dearest = [...misses].sort((a, b) => (b.costPico ?? 0) - (a.costPico ?? 0) || b.tokens - a.tokens);
  const shown = dearest.slice(0, mostMisses);
  const more = misses.length - shown.length;
  const rows = table(['REQUEST', 'TOKENS', 'COST', 'BY', 'WHY'], shown.map(missRow)).trimEnd().split('\n');
  return [head, ...rows.map((row) => `  ${row}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}

function missRow({ requestId, tokens, costPico, blame, says, segment, diagnosis }: Miss): readonly string[] {
  const where = segment === undefined ? '' : ` (from ${sanitiseLine(segment)} on)`;
  const word =
    diagnosis === undefined || says.includes('provider says') ? '' : `; the provider: ${sanitiseLine(diagnosis)}`;
  const cost = costPico === null ? 'unpriced' : dollars(costPico);
  return [sanitiseLine(requestId), thousands(tokens), cost, blames[blame], `${sanitiseLine(says)}${where}${word}`];
}

function price(misses: readonly Miss[]): string {
  const unpriced = misses.filter(({ costPico }) => costPico === null).length;
  return money({
    requests: misses.length,
    costPico: misses.reduce((sum, { costPico }) => sum + (costPico ?? 0), 0),
    unpricedRequests: unpriced,
  });
}

function adviceLines({ advice }: SessionCost): readonly string[] {
  return advice.length === 0 ? [] : ['worth acting on:', ...advice.map((text) => `  ${sanitiseLine(text)}`)];
}
