/** The work of the forget bench, round by round: what the user says, which calls are made and which facts each brings. */
import type { Fact } from '../../players/fact.ts';
import type { StepCall } from '../../players/player.ts';
import {
  editFact,
  errorFact,
  exitFact,
  goneFact,
  leftOutFact,
  lineFact,
  readCall,
  saidFact,
  shellCall,
  signatureFact,
} from './facts.ts';
import { areas, type ModuleFacts, moduleLines, modulePath } from './modules.ts';
import { newPlan, settingsEdit } from './outputs.ts';
import { numberFor } from './value-for.ts';

export interface Work {
  readonly calls: readonly StepCall[];
  readonly learns: readonly Fact[];
}

export interface Round {
  readonly prompt: string;
  readonly said: readonly Fact[];
  readonly works: readonly Work[];
}

const [store, model, check, serve, route] = [0, 1, 2, 3, 4];
export const probeStatus: readonly number[] = [41, 57, 73, 19];

/** The facts that stand in a module: two limits and a signature in each area. */
export function moduleFacts(area: number, part: number): ModuleFacts {
  if (part === store) return { limit: `A${2 * area + 1}` };
  if (part === route) return { limit: `A${2 * area + 2}` };
  return part === check ? { taker: `E${area + 1}` } : {};
}

export function roundsOfWork(): readonly Round[] {
  return areas.map((area, round) => {
    const said = round === 2 ? ['C3', 'C4'] : [`C${round < 2 ? round + 1 : round + 2}`];
    const works = [
      limitWork(round, store),
      signatureWork(round),
      limitWork(round, route),
      ...(failsLater(round) ? [plainWork(shellCall(checkCommand(round)))] : [errorWork(round)]),
      ...(round < 4 ? [settingsRead(round), settingsWork(round), exitWork(round)] : []),
      ...(failsLater(round) ? [errorWork(round)] : []),
      plainWork(readCall(modulePath(round, model))),
      plainWork(shellCall('sh test.sh')),
      ...oddWork(round),
      plainWork(readCall(modulePath(round, serve)), { name: 'find', input: { pattern: `src/${area}/*.ts` } }),
      plainWork({ name: 'search', input: { pattern: 'throw new RangeError', path: modulePath(round, serve) } }),
      plainWork(shellCall('sh test.sh')),
    ];
    return {
      prompt: round === 2 ? longPrompt(area, said) : promptFor(round, area, said),
      said: said.map(saidFact),
      works,
    };
  });
}

function promptFor(round: number, area: string, [id = '']: readonly string[]): string {
  const begin = round === 0 ? 'Look after this repository, one folder a day.' : 'Good. Now the next one.';
  return `${begin} Today it is src/${area}: read it, run its check, mend what its settings need. SAID_${id} is ${numberFor(id)}, you will need it. Write what you are asked for to notes/.`;
}

/** Over 4 kB: one number at its beginning, one in a list item in its middle. */
function longPrompt(area: string, [first = '', second = '']: readonly string[]): string {
  const items = Array.from({ length: 70 }, (_, i) => {
    const what = i === 37 ? `SAID_${second} is ${numberFor(second)}` : `the quota of group ${i * 7} stays at ${i * 31}`;
    return `- item ${i + 1}: ${what}, as agreed`;
  });
  return `${promptFor(2, area, [first])}\n\nFrom the minutes:\n${items.join('\n')}\n\nThat is all for today.`;
}

function plainWork(...calls: readonly StepCall[]): Work {
  return { calls, learns: [] };
}

function limitWork(round: number, part: number): Work {
  const { limit = '' } = moduleFacts(round, part);
  const line = moduleLines(round, part, { limit }).findIndex((text) => text.includes(`LIMIT_${limit}`)) + 1;
  const path = modulePath(round, part);
  return { calls: [readCall(path)], learns: [lineFact(limit, path, line, 2 * round + (part === route ? 1 : 0))] };
}

function signatureWork(round: number): Work {
  const { taker = '' } = moduleFacts(round, check);
  const input = { pattern: 'function \\w+\\(', path: `src/${areas[round]}`, glob: '{check,serve}.ts' };
  const search = { name: 'search', input };
  return { calls: [search], learns: [signatureFact(taker, search, modulePath(round, check), round)] };
}

function errorWork(round: number): Work {
  const command = checkCommand(round);
  return { calls: [shellCall(command)], learns: [errorFact(`B${round + 1}`, command, round)] };
}

function checkCommand(round: number): string {
  return `sh checks/${areas[round]}.sh`;
}

/** The error is there from the second run on: what brings it is the difference to the first. */
export function failsLater(round: number): boolean {
  return round === 1 || round === 3;
}

function settingsRead(round: number): Work {
  return plainWork(readCall(settingsPath(round)));
}

function settingsWork(round: number): Work {
  const id = `F${round + 1}`;
  const path = settingsPath(round);
  const edit = { name: 'edit', input: { path, ...settingsEdit(round, id) } };
  return { calls: [edit], learns: [editFact(id, path, edit, round)] };
}

export function settingsPath(round: number): string {
  return `conf/${areas[round]}.ini`;
}

function exitWork(round: number): Work {
  const command = `sh probes/${areas[round]}.sh`;
  return { calls: [shellCall(command)], learns: [exitFact(`D${round + 1}`, command, probeStatus[round] ?? 0)] };
}

/** What is gone once it was shown, in rounds 0 to 3, and what is shown in part, in rounds 1 and 3. */
function oddWork(round: number): readonly Work[] {
  if (round === 4) return [];
  if (round % 2 === 0) {
    const path = `plans/${areas[round]}.md`;
    const write = { name: 'write', input: { path, content: newPlan(round) } };
    const read = readCall(path);
    return [{ calls: [read], learns: [goneFact(`G${round / 2 + 1}`, 'AGREED', read)] }, plainWork(write)];
  }
  const ticket = shellCall(`sh tickets/${areas[round]}.sh`);
  const [id, key, path] = round === 1 ? ['I1', 'RELEASE', 'logs/deploy.log'] : ['I2', 'BUILD', 'dist/bundle.min.js'];
  return [
    { calls: [ticket], learns: [goneFact(`H${(round + 1) / 2}`, 'TICKET', ticket)] },
    { calls: [shellCall(`cat ${path}`)], learns: [leftOutFact(id ?? '', key ?? '', path ?? '')] },
  ];
}
