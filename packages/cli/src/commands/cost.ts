/** `zerd cost`: what was spent here, in all and by model. What has no price says so (I11). */
import type { ResultOf, Totals } from '@zerd/protocol/common/methods';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { money, thousands } from '../present/cost-line.ts';
import { safeJson, sanitiseLine } from '../present/sanitise.ts';
import { table } from '../present/table.ts';
import { asSessionId, sessionComplaint } from '../session/session-id.ts';

export const costCommand = defineCommand({
  name: 'cost',
  usage: 'cost',
  says: 'Shows what the sessions of this repository cost',
  positionals: {},
  options: ['session', 'json'],
  examples: [
    ['zerd cost', 'Totals, and each model'],
    ['zerd cost --session ses_...', 'One session alone'],
  ],
  complaint: ({ session }) => sessionComplaint(session),
  async perform({ session, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const cost = await client.request('cost/read', given({ sessionId: asSessionId(session) }));
      terminal.out(json === true ? `${safeJson(costJson(cost))}\n` : costTable(cost));
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

type Cost = ResultOf<'cost/read'>;

export function costTable({ totals, byModel }: Cost): string {
  const rows = byModel.map((entry) => costRow(sanitiseLine(entry.model), entry.totals));
  return table(head, byModel.length === 1 ? rows : [...rows, costRow('total', totals)]);
}

/** The totals as they are, and dollars beside them: null when a request has no price. */
export function costJson({ totals, byModel }: Cost) {
  return {
    totals: { ...totals, costUsd: usd(totals) },
    byModel: byModel.map((entry) => ({ model: entry.model, totals: { ...entry.totals, costUsd: usd(entry.totals) } })),
  };
}

const head = ['MODEL', 'REQUESTS', 'IN', 'CACHED', 'OUT', 'COST'];

function costRow(name: string, totals: Totals): readonly string[] {
  const prompt = totals.uncached + totals.cacheRead + totals.cacheWrite;
  const share = prompt === 0 ? '-' : `${Math.round((100 * totals.cacheRead) / prompt)} %`;
  return [name, String(totals.requests), thousands(prompt), share, thousands(totals.output), money(totals)];
}

function usd(totals: Totals): number | null {
  return totals.unpricedRequests > 0 ? null : totals.costPico / 1e12;
}
