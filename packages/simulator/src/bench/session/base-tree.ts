/**
 * The tree as it was when the session began: every file that was read or edited before anything wrote it, with the
 * recorded lines and bytes. A file that the session writes unseen is not there, as zerd never replaces what it has not
 * seen; where a search names it before, it is empty.
 */
import { isObject, objectsOf, stringOf } from '../../wire.ts';
import { foldersOf, plainPath } from './made-path.ts';
import { makeText } from './made-text.ts';
import { numberOf, type RecordedCall, type RecordedFile, type RecordedSession } from './recorded.ts';

/** Texts by path, with LF. */
export type Tree = Map<string, string>;

export function baseTree(session: RecordedSession, pathOf: (recorded: string) => string): Tree {
  const touches = touchesOf(session, pathOf);
  const sizes = new Map([...session.files].map(([path, file]) => [pathOf(path), file]));
  const folders = new Set([...touches.keys(), ...sizes.keys()].flatMap(foldersOf));
  const tree: Tree = new Map();
  let seed = 0;
  for (const path of new Set([...sizes.keys(), ...touches.keys()])) {
    seed += 1;
    if (folders.has(path) || path === '.') continue;
    const text = textOf(touches.get(path), sizes.get(path), `f${seed.toString(36)}`);
    if (text !== undefined) tree.set(path, text);
  }
  return tree;
}

/** Names under which files appear in a session, so that folders are told from them. */
export function knownFiles(session: RecordedSession): readonly string[] {
  const called = session.calls.filter((call) => ['edit', 'write'].includes(call.tool) || isSized(call));
  return [...session.files.keys(), ...called.map((call) => stringOf(call.args.path))].filter((path) => path !== '');
}

/** A read that had lines to show. */
function isSized({ tool, args, isError }: RecordedCall): boolean {
  return tool === 'read' && !isError && numberOf(args.last_line) !== undefined;
}

/** What the calls say of a file that nothing was told about. */
interface Touch {
  first: 'seen' | 'written' | 'searched';
  /** A search named it before it was written. */
  searched: boolean;
  lines: number;
  lineBytes: number;
}

function touchesOf(session: RecordedSession, pathOf: (recorded: string) => string): ReadonlyMap<string, Touch> {
  const touches = new Map<string, Touch>();
  const files = new Set(knownFiles(session));
  for (const call of session.calls) {
    const kind = call.isError ? undefined : kindOf(call);
    const recorded = stringOf(call.args.path);
    if (kind === undefined || recorded === '') continue;
    if (kind === 'searched' && !files.has(recorded) && !hasExtension(recorded)) continue;
    const path = pathOf(recorded);
    const known = touches.get(path) ?? { first: kind, searched: false, lines: 0, lineBytes: 0 };
    touches.set(path, known);
    if (known.first === 'searched') known.first = kind;
    if (kind === 'searched') known.searched = true;
    known.lines = Math.max(known.lines, linesNeeded(call));
    known.lineBytes ||= lineBytesOf(call);
  }
  return touches;
}

function kindOf({ tool, args }: RecordedCall): Touch['first'] | undefined {
  if (tool === 'read') return 'seen';
  if (tool === 'search') return 'searched';
  if (tool === 'write') return 'written';
  // An edit that replaces nothing creates the file.
  if (tool === 'edit') return objectsOf(args.edits).some((edit) => numberOf(edit.old_bytes) !== 0) ? 'seen' : 'written';
  return undefined;
}

function hasExtension(path: string): boolean {
  return /[^/]\.[a-zA-Z][a-zA-Z0-9]{0,5}$/.test(plainPath(path));
}

function linesNeeded({ tool, args }: RecordedCall): number {
  if (tool === 'read') return numberOf(args.last_line) ?? 0;
  const edits = objectsOf(args.edits).filter(isObject);
  return Math.max(0, ...edits.map((edit) => (numberOf(edit.at_line) ?? 1) + (numberOf(edit.old_lines) ?? 1)));
}

function lineBytesOf({ tool, resultBytes, resultLines }: RecordedCall): number {
  return tool === 'read' && resultLines > 0 ? Math.min(longestLineBytes, Math.ceil(resultBytes / resultLines)) : 0;
}

const usualLineBytes = 36;
/** A guess from one result: what it shows of one line says little of the others. */
const longestLineBytes = 200;

function textOf(touch: Touch | undefined, file: RecordedFile | undefined, seed: string): string | undefined {
  if (touch?.first === 'written') return touch.searched ? '' : undefined;
  const known = file?.lines !== undefined && file.bytes !== undefined;
  if (touch === undefined && !known) return undefined;
  const lines = file?.lines ?? Math.max(1, touch?.lines ?? 0);
  const bytes = file?.bytes ?? lines * (touch?.lineBytes || usualLineBytes);
  // CRs are put in when the file is written.
  return makeText({ seed, bytes: Math.max(0, bytes - (file?.crlf ?? 0)), lineBreaks: lines, closed: true });
}
