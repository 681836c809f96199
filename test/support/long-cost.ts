/** The cost of a session of many requests as the daemon tells it, made up by a fixed rule: it grows, is cleared, is summed up. */
import type { CallId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { ResultOf, SessionCost, Totals } from '@zerd/protocol/common/methods';

type Paid = NonNullable<SessionCost['requests']>[number];
type Miss = SessionCost['misses'][number];
type Change = NonNullable<SessionCost['changes']>[number];

const noTotals: Totals = {
  requests: 0,
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  costPico: 0,
  unpricedRequests: 0,
};

export interface LongCost {
  readonly cost: Pick<ResultOf<'cost/read'>, 'totals' | 'byModel'>;
  readonly session: SessionCost;
  readonly marks: {
    readonly misses: number;
    readonly planned: number;
    readonly trims: number;
    readonly summaries: number;
  };
}

/** A trim before every 40th request, a summary before every 170th, a lost cache at every 90th. `text` stands in each label. */
export function longCost(count: number, text = 'npm test'): LongCost {
  const requests: Paid[] = [];
  const misses: Miss[] = [];
  const changes: Change[] = [];
  let results = 0;
  let messages = 900;
  let held = 0;
  for (let i = 1; i <= count; i++) {
    const at = 1_764_000_000_000 + 20_000 * i;
    results += 300 + ((i * 7_919) % 2_300);
    messages += 60 + ((i * 104_729) % 160);
    const summary = i % 170 === 0;
    const trim = !summary && i % 40 === 0;
    if (trim) results = Math.round(0.25 * results);
    if (summary) [results, messages] = [1_500, 3_000];
    const lost = !summary && !trim && i % 90 === 45;
    const prompt = 2_600 + messages + results;
    const read = i === 1 || lost ? 0 : trim || summary ? 2_600 : Math.min(held, prompt);
    if (trim) changes.push(change(i, at, 'trimmed', `the rent reached its price: ${text}`));
    if (summary) changes.push(change(i, at, 'compacted', `above the ceiling: ${text}`));
    if ((trim || summary || lost) && held - read > 1_024)
      misses.push(miss(i, at, held - read, { lost, summary, text }));
    requests.push(paid(i, at, { messages, results, read, written: prompt - read }));
    held = prompt;
  }
  const totals = requests.reduce(add, noTotals);
  const session: SessionCost = {
    sessionId: 'ses_long' as SessionId,
    byPurpose: [{ purpose: 'turn', totals }],
    subagents: noTotals,
    misses,
    notReported: [],
    carried: Array.from({ length: 40 }, (_, i) => ({
      kind: i % 4 === 3 ? ('message' as const) : ('result' as const),
      label: `shell ${text} ${i}`,
      callId: `call_${i}` as CallId,
      tokens: 4_000 - 90 * i,
      requests: 200 - 4 * i,
      costPico: Math.round(4e11 / (i + 1)),
    })),
    advice: [`shell ${text}: $0.40 for 4000 tokens in 200 requests. Let the command say less.`],
    requests,
    changes,
  };
  return {
    cost: { totals, byModel: [{ model: 'sim/sim', totals }] },
    session,
    marks: {
      misses: misses.filter(({ planned }) => !planned).length,
      planned: misses.filter(({ planned }) => planned).length,
      trims: changes.filter(({ kind }) => kind === 'trimmed').length,
      summaries: changes.filter(({ kind }) => kind === 'compacted').length,
    },
  };
}

interface Sizes {
  readonly messages: number;
  readonly results: number;
  readonly read: number;
  readonly written: number;
}

/** Pico-dollars a token: 1 dollar in a million in, 5 out, reads a tenth, writes a quarter more. */
const rates = { read: 100_000, written: 1_250_000, output: 5_000_000 };

function paid(i: number, at: number, { messages, results, read, written }: Sizes): Paid {
  const output = 120 + ((i * 31) % 400);
  const parts = {
    uncached: 0,
    cacheRead: rates.read * read,
    cacheWrite: rates.written * written,
    cacheWrite1h: 0,
    output: rates.output * output,
    adjusted: 0,
  };
  return {
    seq: 10 * i,
    at,
    endedAt: at + 3_000,
    requestId: `req_${i}` as RequestId,
    turnId: 'turn_1' as TurnId,
    model: 'sim/sim',
    attempt: 1,
    purpose: 'turn',
    outcome: 'answered',
    copied: false,
    bytes: 4 * (read + written),
    usage: { uncached: 0, cacheRead: read, cacheWrite: written, output, reported: true },
    parts,
    costPico: Object.values(parts).reduce((sum, part) => sum + part, 0),
    billed: false,
    carries: { system: 1_400, tools: 1_200, messages, results },
  };
}

function change(i: number, at: number, kind: Change['kind'], says: string): Change {
  return { seq: 10 * i - 1, at: at - 1, kind, says, copied: false };
}

interface Why {
  readonly lost: boolean;
  readonly summary: boolean;
  readonly text: string;
}

function miss(i: number, at: number, tokens: number, { lost, summary, text }: Why): Miss {
  const planned = summary ? 'compacted' : 'trimmed';
  return {
    requestId: `req_${i}` as RequestId,
    seq: 10 * i,
    at,
    model: 'sim/sim',
    tokens,
    read: 0,
    costPico: tokens * (rates.written - rates.read),
    cause: lost ? 'providerSide' : planned,
    blame: lost ? 'provider' : 'ours',
    planned: !lost,
    says: lost ? `the provider lost it: ${text}` : 'old results were cleared, which was expected to save more',
  };
}

function add(totals: Totals, { usage, costPico }: Paid): Totals {
  return {
    requests: totals.requests + 1,
    uncached: totals.uncached + (usage?.uncached ?? 0),
    cacheRead: totals.cacheRead + (usage?.cacheRead ?? 0),
    cacheWrite: totals.cacheWrite + (usage?.cacheWrite ?? 0),
    output: totals.output + (usage?.output ?? 0),
    costPico: totals.costPico + (costPico ?? 0),
    unpricedRequests: 0,
  };
}
