/**
 * Turns each recorded call into calls of zerd's tools that end as it ended, knowing at every point what the files hold.
 * Reads, searches, edits and writes are meant in earnest; anything else is a command that prints as much.
 */
import { isObject, objectsOf, stringOf } from '../../wire.ts';
import type { Tree } from './base-tree.ts';
import type { CommandBook } from './commands.ts';
import { applyEdit, makeEdit, makeFailingEdit, type RecordedEdit } from './edit-text.ts';
import { makeText } from './made-text.ts';
import { contextOf, globOf } from './plant.ts';
import { numberOf, type RecordedCall } from './recorded.ts';
import { isPlainRegex } from './sample.ts';

export interface ToolCall {
  readonly name: string;
  readonly input: object;
}

/** The files as the plan goes on, and what else it needs. Calls are planned in order. */
export interface PlanWorld {
  /** Changed by what is planned. */
  readonly now: Tree;
  /** Paths whose content the model knows by then: zerd lets it replace no other. Changed too. */
  readonly seen: Set<string>;
  readonly pathOf: (recorded: string) => string;
  readonly commands: CommandBook;
}

/** One or more: a recorded call may replace several texts. `seed` is the call's own. */
export function planCall(call: RecordedCall, world: PlanWorld, seed: string): readonly ToolCall[] {
  const path = world.pathOf(stringOf(call.args.path));
  switch (call.tool) {
    case 'read':
      if (!call.isError) world.seen.add(path);
      return [{ name: 'read', input: readInput(call, path, world) }];
    case 'search':
      return [{ name: 'search', input: searchInput(call, path, world) }];
    case 'glob':
      return [{ name: 'find', input: { pattern: call.isError ? '' : findPattern(call, world.pathOf) } }];
    case 'edit':
      return planEdits(call, path, world, seed);
    case 'write':
      return [{ name: 'write', input: writeInput(call, path, world, seed) }];
    default:
      return [{ name: 'shell', input: { command: commandFor(call, world, seed) } }];
  }
}

/** Relative to the root of the tree. */
export function findPattern({ args }: RecordedCall, pathOf: (recorded: string) => string): string {
  const below = stringOf(args.path) === '' ? '.' : pathOf(stringOf(args.path));
  const pattern = stringOf(args.pattern).replaceAll('\\', '/');
  // A pattern that begins outside is moved as paths are; its stars stay.
  const inside = /^(\/|~|<|[a-zA-Z]:|\.\.)/.test(pattern) ? pathOf(pattern) : pattern.replace(/^(\.\/)+/, '');
  return (below === '.' ? inside : `${below}/${inside}`) || '*';
}

function readInput({ args, isError }: RecordedCall, path: string, { now }: PlanWorld): object {
  const lines = lineCount(now.get(path));
  const first = Math.max(1, Math.floor(numberOf(args.offset) ?? numberOf(args.first_line) ?? 1));
  if (isError)
    return { path: canRead(now, path, first) ? missing(now, path) : path, ...(first > 1 ? { offset: first } : {}) };
  const last = numberOf(args.end_line) ?? numberOf(args.last_line);
  const wished =
    numberOf(args.limit) ?? (last === undefined || numberOf(args.offset) === undefined ? undefined : last - first + 1);
  // What was recorded as read can be read: a beginning behind the end is moved to the last line.
  const offset = Math.min(first, Math.max(1, lines));
  const limit = wished === undefined ? undefined : Math.max(1, Math.floor(wished));
  return { path, ...(offset > 1 ? { offset } : {}), ...(limit === undefined ? {} : { limit }) };
}

function searchInput(call: RecordedCall, path: string, { now }: PlanWorld): object {
  const { args, isError } = call;
  const pattern = stringOf(args.pattern) || '.';
  const [glob, context] = [globOf(call), contextOf(call)];
  const where = isError ? missing(now, path) : path;
  return {
    pattern,
    ...(where === '.' ? {} : { path: where }),
    ...(glob === undefined ? {} : { glob }),
    ...(isPlainRegex(pattern) ? {} : { literal: true }),
    ...(args['-i'] === true ? { ignoreCase: true } : {}),
    ...(context > 0 ? { context } : {}),
  };
}

function planEdits(call: RecordedCall, path: string, world: PlanWorld, seed: string): readonly ToolCall[] {
  const { now } = world;
  const edits = objectsOf(call.args.edits).map((edit) => editOf(edit, call.args));
  const wished = edits.length > 0 ? edits : [editOf({}, call.args)];
  if (call.isError) {
    const [first] = wished;
    const failing = first === undefined ? { old: '?', new: '' } : makeFailingEdit(now.get(path) ?? '', first, seed);
    return [{ name: 'edit', input: { path, ...failing } }];
  }
  return wished.map((edit, i) => planEdit(path, edit, world, `${seed}${i === 0 ? '' : `e${i}`}`));
}

function planEdit(path: string, edit: RecordedEdit, { now, seen }: PlanWorld, seed: string): ToolCall {
  const text = now.get(path) ?? '';
  const made = makeEdit(text, edit, seen.has(path), seed);
  seen.add(path);
  if (made !== undefined) {
    now.set(path, applyEdit(text, made));
    return { name: 'edit', input: { path, ...made } };
  }
  // Nothing can be replaced in nothing: the new text is written.
  const content = makeText({ seed, bytes: edit.newBytes, lineBreaks: Math.max(0, edit.newLines - 1), closed: false });
  now.set(path, content);
  return { name: 'write', input: { path, content } };
}

function editOf(edit: Readonly<Record<string, unknown>>, args: RecordedCall['args']): RecordedEdit {
  const count = (name: string) => Math.max(0, numberOf(edit[name]) ?? 0);
  const occurrences = numberOf(edit.occurrences);
  return {
    line: numberOf(edit.at_line),
    oldLines: count('old_lines'),
    oldBytes: count('old_bytes'),
    newLines: count('new_lines'),
    newBytes: count('new_bytes'),
    occurrences,
    all: edit.replace_all === true || edit.all === true || args.replace_all === true || (occurrences ?? 0) > 1,
  };
}

function writeInput({ args, isError }: RecordedCall, path: string, { now, seen }: PlanWorld, seed: string): object {
  const [bytes, lines] = [numberOf(args.new_bytes) ?? 0, numberOf(args.new_lines) ?? 1];
  const content = makeText({ seed, bytes, lineBreaks: Math.max(0, lines), closed: true });
  // A path that names a folder cannot be written.
  if (isError) return { path: `${path}/`, content };
  now.set(path, content);
  seen.add(path);
  return { path, content };
}

function commandFor(call: RecordedCall, { commands }: PlanWorld, seed: string): string {
  const { args, tool } = call;
  const command = stringOf(args.command);
  if (tool === 'shell' && command !== '') return commands.play(command, command, call);
  const bytes = numberOf(args.arg_bytes) ?? JSON.stringify(isObject(args) ? args : {}).length;
  return commands.play(`${tool} ${seed}`, makeText({ seed, bytes, lineBreaks: 0, closed: false }), call);
}

function lineCount(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function isThere(now: Tree, path: string): boolean {
  return path === '.' || now.has(path) || [...now.keys()].some((other) => other.startsWith(`${path}/`));
}

/** A folder can be read, and a file from its beginning or any of its lines. */
function canRead(now: Tree, path: string, first: number): boolean {
  return now.has(path) ? first <= Math.max(1, lineCount(now.get(path))) : isThere(now, path);
}

/** A path beside it where nothing is. */
function missing(now: Tree, path: string): string {
  for (let name = path === '.' ? 'missing' : path; ; name += '.missing') {
    if (!isThere(now, name)) return name;
  }
}
