/**
 * Says what of a session's cost is worth acting on, and how. Invariant: where nothing is, nothing is said; what zerd decided
 * because it pays, or what the provider did, is no advice to the user.
 */
import { counted } from '../context/admit/format-count.ts';
import type { Carried } from './carried.ts';
import { formatUsd } from './format-usd.ts';
import type { LedgerRequest } from './ledger.ts';
import type { Miss } from './misses.ts';

export interface Advice {
  readonly costPico: number;
  /** One line: what costs, and what can be done. */
  readonly text: string;
}

/** Of the whole, and in pico-dollars ($0.02): less is not worth a word. */
const leastShare = 0.05;
const leastPico = 20_000_000_000;
const mostAdvice = 5;

export function adviceOn(
  total: number,
  carried: readonly Carried[],
  misses: readonly Pick<Miss, 'cause' | 'blame' | 'planned' | 'costPico'>[],
): readonly Advice[] {
  const least = Math.max(leastPico, leastShare * total);
  const dear = carried.flatMap(({ kind, label, costPico, requests, tokens }): readonly Advice[] => {
    const what = wayOut(kind, label);
    if (costPico < least || what === undefined) return [];
    const text = `${label}: ${formatUsd(costPico)} for ${tokens} tokens in ${counted(requests, 'request')}. ${what}`;
    return [{ costPico, text }];
  });
  const all = [...dear, ...idleAdvice(misses, least)];
  return all.sort((a, b) => b.costPico - a.costPico).slice(0, mostAdvice);
}

/** What was served as something that no list has a price for, by what that was. */
export function unlistedAdvice(
  requests: readonly Pick<LedgerRequest, 'copied' | 'costPico' | 'usage'>[],
): readonly string[] {
  const served = requests.flatMap(({ copied, costPico, usage }) =>
    copied || costPico !== null ? [] : (usage?.tier ?? []),
  );
  return [...new Set(served)].map((tier) => {
    const many = served.filter((other) => other === tier).length;
    const were = `${counted(many, 'request')} ${many === 1 ? 'was' : 'were'}`;
    return `${were} served as ${tier}, for which no list has a price: give the model its own \`price\` in the configuration.`;
  });
}

function wayOut(kind: Carried['kind'], label: string): string | undefined {
  if (kind === 'rules')
    return 'Every request carries it: shorten it, or move what few need to the folder that needs it.';
  if (kind === 'skill') return 'Shorten the skill, or move its details to files that are read when needed.';
  if (kind === 'tool') return label.includes('__') ? 'Leave the server out where it is not used.' : undefined;
  if (kind !== 'result') return undefined;
  const [tool] = label.split(' ');
  if (tool === 'shell') return 'Let the command say less (a quiet switch, tail, grep).';
  if (tool === 'read') return 'Ask for the lines that matter.';
  return tool === 'search' || tool === 'find' ? 'Ask for a narrower pattern or folder.' : undefined;
}

function idleAdvice(misses: Parameters<typeof adviceOn>[2], least: number): readonly Advice[] {
  const idle = misses.filter(({ cause }) => cause === 'idle');
  const costPico = idle.reduce((sum, miss) => sum + (miss.costPico ?? 0), 0);
  if (costPico < least) return [];
  const text = `${idle.length === 1 ? 'a pause' : `${idle.length} pauses`} outlived the cache: ${formatUsd(costPico)}. Set context.keepWarm, or compact before a long pause.`;
  return [{ costPico, text }];
}
