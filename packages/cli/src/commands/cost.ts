/** `zerd cost`: what was spent here, in all, by model and by session, and why. What has no price says so (I11). */
import { resolve } from 'node:path';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultOf, Totals } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { budgetLines } from '../present/budget-lines.ts';
import { money, thousands } from '../present/cost-line.ts';
import { costReport } from '../present/cost-report.ts';
import { table } from '../present/table.ts';
import { pickSession } from '../session/pick-session.ts';
import { asSessionId, sessionComplaint } from '../session/session-id.ts';
import { writeCostPage } from '../session/write-cost-page.ts';

export const costCommand = defineCommand({
  name: 'cost',
  usage: 'cost [of]',
  says: 'Shows what the sessions of this repository cost, what was paid twice and why',
  positionals: { of: { type: 'string', describe: 'A session (ses_...); default: all, and the newest in detail' } },
  options: ['session', 'json', 'html'],
  words: { session: 'The same as the word' },
  examples: [
    ['zerd cost', 'Totals, each model, and what the newest session paid twice'],
    ['zerd cost ses_...', 'One session alone'],
    ['zerd cost ses_... --json | jq .session.misses', 'Each miss of the cache, with its cause and its price'],
    ['zerd cost --html cost.html', 'A page that draws each request of the newest session'],
  ],
  complaint({ of, session, json, html }) {
    if (of !== undefined && session !== undefined) return 'Name the session once.';
    if (json === true && html !== undefined) return 'Choose --json or --html.';
    return sessionComplaint(of ?? session);
  },
  async perform({ of, session, json, html }, { terminal, clock, connect }) {
    const client = await connect('daemon');
    try {
      if (html !== undefined) {
        const { sessionId } = await pickSession(client, of ?? session);
        const wish = { sessionId, file: resolve(terminal.cwd(), html), writtenAt: clock.wall() };
        terminal.err(`${await writeCostPage(client, wish)}\n`);
        return exitCode.done;
      }
      const named = asSessionId(of ?? session);
      const cost = await client.request('cost/read', named === undefined ? {} : { sessionId: named });
      if (json === true) terminal.out(`${safeJson(costJson(cost))}\n`);
      else terminal.out(costText(cost, named === undefined ? await newest(client) : cost));
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

type Cost = ResultOf<'cost/read'>;

type Detail = Pick<Cost, 'session' | 'budgets'>;

/** The newest session in detail; empty: there is none. */
async function newest(client: ZerdClient): Promise<Detail> {
  const { sessions } = await client.request('session/list', {});
  const sessionId: SessionId | undefined = sessions[0]?.sessionId;
  return sessionId === undefined ? {} : await client.request('cost/read', { sessionId });
}

function costText(cost: Cost, { session, budgets }: Detail): string {
  const detail = session === undefined ? '' : costReport(session);
  const left = budgetLines(budgets ?? cost.budgets ?? []).map((line) => `${line}\n`);
  const totals = costTable(cost) + left.join('');
  if (detail === '') return totals;
  const whose = cost.session === undefined ? `\nThe newest session, ${sanitiseLine(session?.sessionId ?? '')}:\n` : '';
  return `${totals}${whose}${detail}`;
}

export function costTable({ totals, byModel }: Pick<Cost, 'totals' | 'byModel'>): string {
  const rows = byModel.map((entry) => costRow(sanitiseLine(entry.model), entry.totals));
  return table(head, byModel.length === 1 ? rows : [...rows, costRow('total', totals)]);
}

/** The totals as they are, and dollars beside them: null when a request has no price. */
export function costJson({ totals, byModel, session, budgets }: Cost) {
  return {
    totals: { ...totals, costUsd: usd(totals) },
    hitRate: hitRate(totals),
    byModel: byModel.map((entry) => ({ model: entry.model, totals: { ...entry.totals, costUsd: usd(entry.totals) } })),
    ...(session === undefined ? {} : { session }),
    ...(budgets === undefined ? {} : { budgets }),
  };
}

const head = ['MODEL', 'REQUESTS', 'IN', 'CACHED', 'OUT', 'COST'];

function costRow(name: string, totals: Totals): readonly string[] {
  const prompt = promptOf(totals);
  const rate = hitRate(totals);
  const share = rate === null ? '-' : `${Math.round(100 * rate)} %`;
  return [name, String(totals.requests), thousands(prompt), share, thousands(totals.output), money(totals)];
}

function promptOf({ uncached, cacheRead, cacheWrite }: Totals): number {
  return uncached + cacheRead + cacheWrite;
}

function hitRate(totals: Totals): number | null {
  const prompt = promptOf(totals);
  return prompt === 0 ? null : totals.cacheRead / prompt;
}

function usd(totals: Totals): number | null {
  return totals.unpricedRequests > 0 ? null : totals.costPico / 1e12;
}
