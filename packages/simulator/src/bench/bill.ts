/**
 * `npm run -s bench:bill -- [--from FILE] [--json]`: the ledger against the gateway's own bill, misses caused on purpose
 * against what they are called, forecasts against what was charged. Ends with 1 when one of them is wrong. `--from`: a
 * recorded session, over every wire; without it those of `$ZERD_DATA`, if that is set, each over one wire in turn.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Wire } from '../wire.ts';
import { type BudgetRun, billBudget } from './bill/budget.ts';
import { causeMisses } from './bill/caused.ts';
import { causeInLog } from './bill/caused-in-log.ts';
import { type BillRun, billMixed, billRecorded, billScript, billSubagents } from './bill/sessions.ts';
import { readOptions } from './read-options.ts';

/** Percent that a forecast may be off. */
const mostOff = 5;
const wires: readonly Wire[] = ['chat', 'anthropic', 'responses'];

const usage = 'bill -- [--from FILE] [--json]';

process.exitCode = await main();

/** The last line: exactly these fields. */
interface BillFigures {
  readonly bench: 'bill';
  readonly runs: number;
  readonly mismatches: number;
  readonly missesCaused: number;
  readonly missesNamedRight: number;
  readonly forecastWorstPct: number;
  /** The most that a budget was passed by. */
  readonly budgetOverrunUsd: number;
}

async function main(): Promise<number> {
  const values = readOptions(usage, { from: { type: 'string' }, json: { type: 'boolean', default: false } });
  const runs: BillRun[] = [];
  const add = (run: BillRun) => {
    runs.push(run);
    const worst = Math.max(0, ...run.offPct).toFixed(1);
    say(`${run.name}: ${run.mismatches} mismatches; ${run.offPct.length} forecasts, at most ${worst} % off`);
  };
  for (const wire of ['anthropic', 'responses', 'chat'] as const) add(await billScript('seed', wire));
  for (const name of ['seed28', 'long']) add(await billScript(name, 'anthropic'));
  for (const wire of ['anthropic', 'responses'] as const) add(await billMixed(wire));
  for (const wire of ['anthropic', 'responses'] as const) add(await billSubagents(wire));
  for (const { file, wire } of values.from === undefined ? recordedIn(process.env.ZERD_DATA) : onEach(values.from))
    add(await billRecorded(file, wire));
  const limited: BudgetRun[] = [];
  for (const wire of ['anthropic', 'responses'] as const)
    for (const scope of ['session', 'day'] as const) {
      const run = await billBudget(wire, scope, 0.1);
      limited.push(run);
      say(`${run.name}: passed by $${run.overrunUsd.toFixed(6)} in ${run.requests} requests`);
    }
  const inHouse = await causeMisses();
  const caused = [...inHouse.caused, ...causeInLog()];
  for (const { name, right, found } of caused)
    say(`${right ? 'right' : 'WRONG'}  ${name}${right ? '' : `: ${JSON.stringify(found)}`}`);
  const figures: BillFigures = {
    bench: 'bill',
    runs: runs.length + limited.length,
    mismatches: runs.reduce((sum, run) => sum + run.mismatches, inHouse.mismatches),
    missesCaused: caused.length,
    missesNamedRight: caused.filter(({ right }) => right).length,
    forecastWorstPct: Number(Math.max(0, ...runs.flatMap(({ offPct }) => offPct)).toFixed(2)),
    budgetOverrunUsd: Number(Math.max(0, ...limited.map(({ overrunUsd }) => overrunUsd)).toFixed(6)),
  };
  if (values.json) say(JSON.stringify(figures));
  const { mismatches, missesCaused, missesNamedRight, forecastWorstPct } = figures;
  const held = limited.every(({ tight, overrunUsd, oneOutputUsd }) => tight && overrunUsd <= oneOutputUsd);
  return held && mismatches === 0 && missesCaused === missesNamedRight && forecastWorstPct <= mostOff ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Recorded {
  readonly file: string;
  readonly wire: Wire;
}

function onEach(file: string): readonly Recorded[] {
  return wires.map((wire) => ({ file, wire }));
}

/** Each over one wire, in turn: all of them over all wires take several minutes. */
function recordedIn(data: string | undefined): readonly Recorded[] {
  if (data === undefined || data === '') return [];
  const folder = join(data, 'sessions');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error(`no recorded sessions in ${folder}`);
  return names.sort().flatMap((name, i) => {
    const wire = wires[i % wires.length];
    return wire === undefined ? [] : [{ file: join(folder, name), wire }];
  });
}
