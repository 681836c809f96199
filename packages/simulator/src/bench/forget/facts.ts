/**
 * The 40 facts of the forget bench, by their kind, and the ways to each: a model recalls by id, reads a range, searches or
 * runs the command again, and so does this one, turn and turn about.
 */
import { exitOf, type Fact, shownAs, type Way } from '../../players/fact.ts';
import type { StepCall } from '../../players/player.ts';
import { numberFor, valueFor } from './value-for.ts';

export const readCall = (path: string, range: { offset?: number; limit?: number } = {}): StepCall => ({
  name: 'read',
  input: { path, ...range },
});
export const shellCall = (command: string): StepCall => ({ name: 'shell', input: { command } });

/** A line `LIMIT_<id>` of a file. `line`: its number. */
export function lineFact(id: string, path: string, line: number, turn: number): Fact {
  const key = `LIMIT_${id}`;
  const recall = recalled(readCall(path), key);
  const search = call('search', { pattern: key, path });
  const range = { kind: 'call', call: readCall(path, { offset: line - 2, limit: 5 }) } as const;
  const whole = { kind: 'call', call: readCall(path) } as const;
  const part = { ...recall, part: { offset: line, limit: 1 } };
  return fact(id, `${key} = '(\\w+)'`, turned([recall, range, search, whole, part], turn));
}

/** An error in the output of a command that fails the same way every time. */
export function errorFact(id: string, command: string, turn: number): Fact {
  const recall = recalled(shellCall(command), `error ${id}`);
  return fact(id, `error ${id}: wanted (\\w+)`, turned([recall, { kind: 'call', call: shellCall(command) }], turn));
}

/** What the user said. It needs no tool. */
export function saidFact(id: string): Fact {
  return { id, value: numberFor(id), seenIn: shownAs(new RegExp(`SAID_${id} is (\\d+)`)), ways: [] };
}

export function exitFact(id: string, command: string, status: number): Fact {
  return { id, value: String(status), seenIn: exitOf(command), ways: [{ kind: 'call', call: shellCall(command) }] };
}

/** The name of a parameter in a signature that a search found in `path`. */
export function signatureFact(id: string, found: StepCall, path: string, turn: number): Fact {
  const recall = recalled(found, `_${id}\\(`);
  const search = call('search', { pattern: `_${id}\\(`, path });
  return fact(id, `_${id}\\((\\w+): string`, turned([recall, search, { kind: 'call', call: found }], turn));
}

/** A line that an own edit brought. */
export function editFact(id: string, path: string, edit: StepCall, turn: number): Fact {
  const key = `RETRY_${id}`;
  const search = call('search', { pattern: key, path });
  return fact(
    id,
    `${key} = (\\w+)`,
    turned([recalled(edit, key), { kind: 'call', call: readCall(path) }, search], turn),
  );
}

/** What only the archive still has: the file was written anew, or the command cannot be run again. */
export function goneFact(id: string, key: string, source: StepCall): Fact {
  return fact(id, `${key}_${id}: (\\w+)`, [recalled(source, `${key}_${id}`)]);
}

/** What was left out when it was first shown. */
export function leftOutFact(id: string, key: string, path: string): Fact {
  const grep = { kind: 'call', call: shellCall(`grep -o '${key}_${id}.*' ${path}`) } as const;
  return fact(id, `${key}_${id}: ?(\\w+)`, [recalled(shellCall(`cat ${path}`), `${key}_${id}`), grep]);
}

function fact(id: string, pattern: string, ways: readonly Way[]): Fact {
  return { id, value: valueFor(id), seenIn: shownAs(new RegExp(pattern)), ways };
}

function recalled(source: StepCall, pattern: string): Extract<Way, { kind: 'recall' }> {
  return { kind: 'recall', source, part: { pattern } };
}

function call(name: string, input: object): Way {
  return { kind: 'call', call: { name, input } };
}

/** Another one first. */
function turned(ways: readonly Way[], by: number): readonly Way[] {
  const at = by % ways.length;
  return [...ways.slice(at), ...ways.slice(0, at)];
}
