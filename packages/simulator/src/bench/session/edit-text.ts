/**
 * Chooses what an edit replaces in a generated file: a text that is there exactly once, as near as can be to the
 * recorded place and size; and texts with which an edit fails. Files are looked at with LF.
 */
import { makeText } from './made-text.ts';

/** One recorded replacement. */
export interface RecordedEdit {
  /** From 1. */
  readonly line: number | undefined;
  readonly oldLines: number;
  readonly oldBytes: number;
  readonly newLines: number;
  readonly newBytes: number;
  /** How often the old text was there. */
  readonly occurrences: number | undefined;
  readonly all: boolean;
}

export interface MadeEdit {
  readonly old: string;
  readonly new: string;
  readonly all?: true;
}

/** undefined: the file is empty, and nothing in it can be replaced. `seen`: only then may several places be replaced. */
export function makeEdit(text: string, edit: RecordedEdit, seen: boolean, seed: string): MadeEdit | undefined {
  if (text === '') return undefined;
  const many =
    edit.all && seen ? commonPart(text, edit.occurrences ?? 2, mostAdded / Math.max(1, edit.newBytes)) : undefined;
  const old = many ?? onlyPart(text, edit);
  const made = makeText({ seed, bytes: edit.newBytes, lineBreaks: Math.max(0, edit.newLines - 1), closed: false });
  return { old, new: made === old ? `${made}~` : made, ...(edit.all ? { all: true } : {}) };
}

export function applyEdit(text: string, edit: MadeEdit): string {
  if (edit.all === true) return text.split(edit.old).join(edit.new);
  const at = text.indexOf(edit.old);
  return text.slice(0, at) + edit.new + text.slice(at + edit.old.length);
}

/** An edit that must fail: its old text is there more than once where it was so, else not at all. */
export function makeFailingEdit(text: string, edit: RecordedEdit, seed: string): MadeEdit {
  const made = makeText({ seed, bytes: edit.newBytes, lineBreaks: Math.max(0, edit.newLines - 1), closed: false });
  const twice = (edit.occurrences ?? 0) > 1 ? commonPart(text, edit.occurrences ?? 2) : undefined;
  if (twice !== undefined && twice !== made) return { old: twice, new: made };
  const near = text === '' ? '' : onlyPart(text, edit);
  const middle = wholeAt(near, Math.floor(near.length / 2));
  return { old: `${near.slice(0, middle)}~not there ${seed}~${near.slice(middle)}`, new: made };
}

/** What replacing everywhere may add: a word of a generated text stands there more often than one of a real file. */
const mostAdded = 20_000;

/** A word that stands in the text as often as wished, or nearly, but more than once; it never overlaps itself. */
function commonPart(text: string, wished: number, most = Number.POSITIVE_INFINITY): string | undefined {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[a-z]{4,}/g)) if (!overlapsItself(word)) counts.set(word, 0);
  for (const word of counts.keys()) counts.set(word, text.split(word).length - 1);
  const several = [...counts].filter(([, count]) => count > 1 && count <= most);
  return several.sort(([, a], [, b]) => Math.abs(a - wished) - Math.abs(b - wished))[0]?.[0];
}

/** Its end is its beginning: `nemelne`. */
function overlapsItself(word: string): boolean {
  return Array.from({ length: word.length - 1 }, (_, i) => word.slice(0, i + 1)).some((part) => word.endsWith(part));
}

function onlyPart(text: string, { line, oldLines, oldBytes }: RecordedEdit): string {
  const lines = text.split('\n');
  const count = Math.min(Math.max(1, oldLines), lines.length);
  const from = Math.min(Math.max(1, line ?? Math.ceil(lines.length / 2)), lines.length - count + 1) - 1;
  const cut = shortened(asMany(lines.slice(from, from + count), oldBytes), oldBytes);
  if (isOnly(text, cut)) return cut;
  for (let more = 0; ; more = 2 * more + 1) {
    const wider = lines.slice(Math.max(0, from - more), from + count + more).join('\n');
    if (isOnly(text, wider)) return wider;
    if (from - more <= 0 && from + count + more >= lines.length) return text;
  }
}

/** Fewer lines where these are much longer than the recorded ones: the size counts for more than the number. */
function asMany(lines: readonly string[], bytes: number): readonly string[] {
  let left = 2 * bytes + 100;
  const end = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

/** As long as `bytes`, where that leaves something of the first and the last line: the marks are at the lines' ends. */
function shortened(lines: readonly string[], bytes: number): string {
  const whole = lines.join('\n');
  const excess = Buffer.byteLength(whole) - Math.max(1, bytes);
  if (excess <= 0) return whole;
  const first = lines[0] ?? '';
  const last = lines.length > 1 ? (lines.at(-1) ?? '') : '';
  const head = wholeAt(whole, Math.min(excess, Math.max(0, first.length - 1)));
  const tail = Math.min(Math.max(0, excess - head), Math.max(0, last.length - 1));
  return whole.slice(head, wholeAt(whole, whole.length - tail));
}

function isOnly(text: string, part: string): boolean {
  const at = text.indexOf(part);
  return part !== '' && at !== -1 && text.indexOf(part, at + 1) === -1;
}

/** Not inside a character of two units. */
function wholeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
