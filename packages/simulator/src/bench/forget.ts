/**
 * `npm run -s bench:forget -- [--wire anthropic] [--json]`: what a session costs whose model needs 40 facts again, and
 * whether any of them is lost. Human lines first, with --json one JSON line last. Ends with 1 when a fact is lost, or when
 * the default is not the cheapest of the three policies on each wire.
 */
import { availableParallelism } from 'node:os';
import { wireRows } from '../gateway/wires.ts';
import type { Wire } from '../wire.ts';
import { type ForgetFigures, measureForget, type Policy, policies } from './forget/measure-forget.ts';
import { roundsOfWork } from './forget/rounds.ts';
import { readOptions, wrongUse } from './read-options.ts';

const usage = `forget -- [--wire ${wireRows.map((row) => row.wire).join('|')}] [--json]`;

process.exitCode = await main();

interface Row extends ForgetFigures {
  readonly wire: Wire;
  readonly policy: Policy;
}

async function main(): Promise<number> {
  const values = readOptions(usage, { wire: { type: 'string' }, json: { type: 'boolean', default: false } });
  const all = wireRows.map((row) => row.wire);
  const wires = all.filter((wire) => values.wire === undefined || wire === values.wire);
  if (wires.length === 0) return wrongUse(usage);
  const rows = await measureAll(wires);
  const verdicts = wires.flatMap((wire) => dearer(rows.filter((row) => row.wire === wire)));
  for (const verdict of verdicts) process.stdout.write(`${verdict}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify(lastLine(wires, rows))}\n`);
  return verdicts.length > 0 || rows.some(({ lost }) => lost.length > 0) ? 1 : 0;
}

/** A few runs at once: each has a gateway, a home and a daemon of its own. */
async function measureAll(wires: readonly Wire[]): Promise<readonly Row[]> {
  const wanted = wires.flatMap((wire) => policies.map((policy) => ({ wire, policy })));
  const rows: Row[] = [];
  const left = wanted[Symbol.iterator]();
  const work = async () => {
    for (const { wire, policy } of left) {
      const startedAt = performance.now();
      const row = { wire, policy, ...(await measureForget(roundsOfWork(), wire, policy)) };
      process.stdout.write(told(row, performance.now() - startedAt));
      rows.push(row);
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  return rows;
}

function dearer(rows: readonly Row[]): readonly string[] {
  const usual = rows.find(({ policy }) => policy === 'default');
  return rows
    .filter((row) => usual !== undefined && row !== usual && row.weighted <= usual.weighted)
    .map(({ wire, policy }) => `${wire}: the default is not cheaper than ${policy}`);
}

function lastLine(wires: readonly Wire[], rows: readonly Row[]): object {
  const byPolicy = (wire: Wire) =>
    policies.map((policy) => {
      const row = rows.find((other) => other.wire === wire && other.policy === policy);
      return [policy, { weighted: row?.weighted, extraCalls: row?.extraCalls }] as const;
    });
  return {
    bench: 'forget',
    facts: rows[0]?.facts ?? 0,
    factsLost: rows.reduce((sum, { lost }) => sum + lost.length, 0),
    wires: Object.fromEntries(wires.map((wire) => [wire, Object.fromEntries(byPolicy(wire))])),
  };
}

function told(row: Row, ms: number): string {
  const n = (value: number) => value.toLocaleString('en-US');
  const { wire, policy, facts, lost, requests, extraCalls, trims, compactions, peakTokens, weighted } = row;
  return [
    `${wire} ${policy}: weighted ${n(weighted)}, ${requests} requests (${extraCalls} to get facts back), ${trims} trims, ${compactions} compactions, peak ${n(peakTokens)}, ${facts - lost.length} of ${facts} facts known, ${(ms / 1000).toFixed(1)} s`,
    ...lost.map(({ id, why }) => `  lost ${id}: ${why}`),
    '',
  ].join('\n');
}
