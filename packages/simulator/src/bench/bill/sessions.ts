/** Plays whole sessions and compares their ledger with the gateway's bill: the bench scripts, and one with everything. */

import { basename } from 'node:path';
import type { Step } from '../../players/player.ts';
import { scriptPlayer } from '../../players/script.ts';
import type { Wire } from '../../wire.ts';
import { benchScripts } from '../bench-scripts.ts';
import { planSession } from '../session/plan-session.ts';
import { readRecorded } from '../session/recorded.ts';
import { mismatches, readCost, sayForeseen } from './compare.ts';
import { openBillHouse } from './house.ts';

export interface BillRun {
  readonly name: string;
  readonly mismatches: number;
  /** How far each forecast was off, in percent. */
  readonly offPct: readonly number[];
}

export async function billScript(name: string, wire: Wire): Promise<BillRun> {
  const script = benchScripts[name];
  if (script === undefined) throw new Error(`no script ${name}`);
  const house = await openBillHouse({
    name: `${name}-${wire}`,
    wire,
    files: script.files(),
    player: scriptPlayer(script.steps),
  });
  try {
    const sessionId = await house.say(script.prompt);
    const later = await sayForeseen(house, sessionId, 'Thanks. Say in a word what was done.');
    const wrong = await mismatches(house, [sessionId]);
    return {
      name: `${name} over ${wire}`,
      mismatches: wrong,
      offPct: later.offPct === undefined ? [] : [later.offPct],
    };
  } finally {
    await house.close();
  }
}

/** A recorded session with its pauses, each turn foreseen. */
export async function billRecorded(file: string, wire: Wire): Promise<BillRun> {
  const plan = planSession(readRecorded(file));
  let steps: readonly Step[] = [];
  let before = 0;
  const house = await openBillHouse({
    name: `recorded-${wire}`,
    wire,
    files: plan.files,
    // A recorded pause passes when the request in front of it has been charged and before the next one is sent.
    player: (_view, { delivered }) => {
      const at = delivered - before;
      const pause = steps[at + 1]?.advanceMs ?? 0;
      if (pause > 0) setImmediate(() => house.jump(pause));
      const { advanceMs: _, ...step } = steps[at] ?? { text: 'Nothing is left to do.' };
      return step;
    },
  });
  try {
    const offPct: number[] = [];
    let sessionId: string | undefined;
    for (const turn of plan.turns) {
      // A pause in front of a turn lies in front of its forecast.
      house.jump(turn.steps[0]?.advanceMs ?? 0);
      steps = turn.steps;
      before = house.gateway.requests.filter(({ delivered, step }) => delivered && step?.aside !== true).length;
      if (sessionId === undefined) sessionId = await house.say(turn.prompt);
      else offPct.push(...listed((await sayForeseen(house, sessionId, turn.prompt)).offPct));
    }
    return {
      name: `${basename(file, '.json')} over ${wire}`,
      mismatches: await mismatches(house, [sessionId ?? '']),
      offPct,
    };
  } finally {
    await house.close();
  }
}

const minute = 60_000;

/** Pauses, another model, a summary asked for, and back again; each message foreseen. */
export async function billMixed(wire: Wire): Promise<BillRun> {
  const script = benchScripts.seed;
  const steps = (script?.steps ?? []).slice(0, 9);
  const turns = [steps, steps.slice(0, 3), steps.slice(3, 6), steps.slice(0, 2), steps.slice(6)];
  let turn = 0;
  let before = 0;
  const house = await openBillHouse({
    name: `mixed-${wire}`,
    wire,
    files: script?.files() ?? new Map(),
    player: (_view, { delivered }) => turns[turn]?.[delivered - before] ?? { text: 'That is all.' },
  });
  const offPct: number[] = [];
  const next = async (text: string, model?: string) => {
    turn += 1;
    before = house.gateway.requests.filter(({ delivered, step }) => delivered && step?.aside !== true).length;
    offPct.push(...listed((await sayForeseen(house, sessionId, text, model)).offPct));
  };
  let sessionId = '';
  try {
    sessionId = await house.say(script?.prompt ?? '');
    await next('Look at that once more, please, and say which of the two it is.');
    house.jump(12 * minute);
    await next('I was away. Go on where you were.');
    await next('Now you.', 'other');
    await house.zerd('compact', '--session', sessionId, '--trust');
    house.jump(2 * minute);
    await next('And the rest.');
    return { name: `mixed over ${wire}`, mismatches: await mismatches(house, [sessionId]), offPct };
  } finally {
    await house.close();
  }
}

const crew = 8;

/** Eight sub-agents at once: what they cost is in their own ledgers, and told beside that of the session they work for. */
export async function billSubagents(wire: Wire): Promise<BillRun> {
  const script = benchScripts.seed;
  const tasks = Array.from({ length: crew }, (_, i) => ({
    name: 'task',
    input: { prompt: `Part ${i + 1}: read store.go and say what it does.`, title: `part ${i + 1}` },
  }));
  const read: Step = { calls: [{ name: 'read', input: { path: 'store.go' } }] };
  const house = await openBillHouse({
    name: `subagents-${wire}`,
    wire,
    files: script?.files() ?? new Map(),
    player(view, { deliveredHere }) {
      const parts = view.messages[0]?.parts ?? [];
      const first = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
      const steps = /Part \d/.test(first) ? [read, { text: 'It stores.' }] : [{ calls: tasks }, { text: 'All said.' }];
      return steps[deliveredHere] ?? { text: 'Nothing is left to do.' };
    },
  });
  try {
    const sessionId = await house.say('Have the parts looked at, all at once.');
    type Rows = { readonly sessions: readonly { readonly sessionId: string; readonly parentId?: string }[] };
    const { sessions } = await house.ask<Rows>('session/list', {});
    const children = sessions.filter(({ parentId }) => parentId === sessionId);
    const wrong = await mismatches(house, [sessionId, ...children.map((row) => row.sessionId)]);
    const { session, totals } = await readCost(house, sessionId);
    const told = totals.costPico + session.subagents.costPico === house.gateway.bill() && children.length === crew;
    return { name: `8 sub-agents over ${wire}`, mismatches: wrong + (told ? 0 : 1), offPct: [] };
  } finally {
    await house.close();
  }
}

function listed(offPct: number | undefined): readonly number[] {
  return offPct === undefined ? [] : [offPct];
}
