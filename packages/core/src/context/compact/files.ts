/**
 * Tells which files the session was about: edited ones first, with the model's own words or what it last saw of them,
 * then those that were only read, with their lines. Invariant: within its bytes; every edited file is named before any
 * text is shown.
 */
import { utf8Length } from '../../text/utf8.ts';
import { shortId } from '../cleared.ts';
import { isOurLine } from '../repeat/pointer.ts';
import { clipToLine, fenced, fitting, headOf } from './clip.ts';
import { type Story, type ToldCall, textField } from './story.ts';

interface EditedFile {
  readonly path: string;
  readonly edits: readonly ToldCall[];
  /** Newest first. */
  readonly texts: readonly string[];
}

const leastSnippet = 200;
const mostSnippet = 1_500;
const mostNames = 0.5;

export function tellFiles(story: Story, bytes: number): string {
  const edited = editedFiles(story);
  const names = fitting(edited.map(nameOf), bytes * (edited.length === 0 ? 0 : mostNames));
  const missing = edited.length - names.length;
  const counted = missing === 0 ? [] : [`[${missing} more edited files]`];
  const read = fitting(readFiles(story, edited), (bytes - sizeOf(names)) / 3);
  const room = bytes - sizeOf(names) - sizeOf(counted) - sizeOf(read);
  const told = edited.slice(0, names.length).map((file, i) => [names[i], snippetsOf(file, room / edited.length)]);
  return [...told.flat(), ...counted, ...read].filter((line) => line !== '').join('\n');
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}

function nameOf({ path, edits }: EditedFile): string {
  const last = edits.at(-1);
  const how = last?.name === 'write' ? 'written' : 'edited';
  return `- ${path}: ${how} ${edits.length === 1 ? 'once' : `${edits.length} times`}, last in call ${last?.number}`;
}

function snippetsOf({ texts }: EditedFile, bytes: number): string {
  let left = Math.min(bytes, mostSnippet);
  const shown: string[] = [];
  for (const text of texts) {
    if (left < leastSnippet) break;
    const snippet = fenced(headOf(text, left - 8));
    if (utf8Length(snippet) + 1 > left) break;
    left -= utf8Length(snippet) + 1;
    shown.push(snippet);
  }
  return shown.join('\n');
}

/** By the newest edit, newest first. */
function editedFiles({ calls }: Story): readonly EditedFile[] {
  const edits = new Map<string, ToldCall[]>();
  for (const call of calls) {
    for (const { path, how } of call.files) {
      if (how !== 'written') continue;
      const before = edits.get(path) ?? [];
      edits.delete(path);
      edits.set(path, [...before, call]);
    }
  }
  return [...edits].reverse().map(([path, own]) => ({ path, edits: own, texts: textsOf(path, own, calls) }));
}

/** What the model saw of the file after its last edit; else its own words. */
function textsOf(path: string, edits: readonly ToldCall[], calls: readonly ToldCall[]): readonly string[] {
  const last = edits.at(-1)?.seq ?? 0;
  const seen = calls
    .filter((call) => call.seq > last && call.name === 'read' && touches(call, path))
    .flatMap(textOfRead);
  const own = edits.flatMap((call) => [textField(call, 'content') ?? textField(call, 'new') ?? '']);
  return [...new Set([...seen.reverse(), ...own.reverse()])].filter((text) => text.trim() !== '');
}

function touches({ files, reads }: ToldCall, path: string): boolean {
  return [...files, ...reads].some((file) => file.path === path);
}

/** A pointer or a diff shows no text by itself. */
function textOfRead({ shown, outcome }: ToldCall): readonly string[] {
  const [first = ''] = shown.split('\n', 1);
  return outcome !== 'ok' || isOurLine(first) || /^@@ /m.test(shown) ? [] : [shown];
}

/** `- src/b.ts: lines 1-120 of 340 (call 5; archive 1a2b3c4d5e6f)`, newest first. */
function readFiles({ calls }: Story, edited: readonly EditedFile[]): readonly string[] {
  const known = new Set(edited.map(({ path }) => path));
  const read = new Map<string, ToldCall>();
  for (const call of calls) {
    for (const { path } of [...call.files, ...call.reads]) {
      if (known.has(path) || path.startsWith('archive:')) continue;
      read.delete(path);
      read.set(path, call);
    }
  }
  const lines = [...read].reverse().map(([path, call]) => `- ${path}: read${rangeIn(call, path)} (${where(call)})`);
  return lines.length === 0 ? [] : lines.map((line) => clipToLine(line, 200));
}

function rangeIn({ reads }: ToldCall, path: string): string {
  const own = reads.filter((read) => read.path === path);
  const [first] = own;
  return first === undefined
    ? ''
    : `, lines ${own.map(({ firstLine, lastLine }) => `${firstLine}-${lastLine}`).join(', ')} of ${first.lines}`;
}

function where({ number, archiveId }: ToldCall): string {
  return archiveId === undefined ? `call ${number}` : `call ${number}; archive ${shortId(archiveId)}`;
}
