/**
 * Decides which files a sub-agent is handed with its task: those that the task names and that its parent's transcript
 * shows as they are now. What several tasks of one answer name comes first and in the same order, so that the sisters
 * find it in the provider's cache. Invariant: every line that is handed over is whole, and the whole stays within a cap.
 */
import type { HandedFiles, ShownLines } from '@zerd/protocol/common/event';
import { handedCall } from '../session/handed-call.ts';
import type { SessionState } from '../session/state.ts';
import { utf8Length } from '../text/utf8.ts';

/** Bytes of one file, and of all. */
export interface HandCaps {
  readonly file: number;
  readonly all: number;
}

export const usualHandCaps: HandCaps = Object.freeze({ file: 16_000, all: 48_000 });

/** The paths of `known` that the text names: by their whole path, or by a file name that only one of them has. */
export function namedPaths(text: string, known: readonly string[]): readonly string[] {
  const words = new Set(text.match(/[^\s"'`<>()[\]{},;:|*]+/g)?.flatMap(spellings) ?? []);
  const names = new Map<string, number>();
  for (const path of known) names.set(nameOf(path), (names.get(nameOf(path)) ?? 0) + 1);
  return known.filter((path) => {
    const name = nameOf(path);
    return words.has(path) || (name.includes('.') && names.get(name) === 1 && words.has(name));
  });
}

/** As it stands, without the end of a sentence, and without what a path may begin with. */
function spellings(word: string): readonly string[] {
  const plain = word.replace(/^(?:\.\/)+/, '');
  return [plain, plain.replace(/[.!?]+$/, '')];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export interface Wanted {
  readonly path: string;
  /** Another task of the same answer names it too. */
  readonly shared: boolean;
}

/** In the order in which they are handed over: the shared ones first, each part by path. */
export function wantedFiles(prompt: string, sisters: readonly string[], state: SessionState): readonly Wanted[] {
  const known = [...state.known].flatMap(([path, { now }]) => (now === undefined ? [] : [path])).sort();
  const timesBySisters = sisters.map((text) => new Set(namedPaths(text, known)));
  const own = new Set(namedPaths(prompt, known));
  const sharedPaths = known.filter((path) => timesBySisters.filter((names) => names.has(path)).length > 1);
  const shared = sharedPaths.map((path) => ({ path, shared: true }));
  const alone = known.filter((path) => own.has(path) && !sharedPaths.includes(path));
  // A task that names nothing of what its sisters share is not made to carry it.
  const carries = sharedPaths.some((path) => own.has(path));
  return [...(carries ? shared : []), ...alone.map((path) => ({ path, shared: false }))];
}

/** A file as it is now, with the lines of it that the parent's transcript shows, from 1, both ends in. */
export interface HeldFile extends Wanted {
  readonly hash: string;
  readonly lines: readonly string[];
  readonly ranges: readonly { readonly firstLine: number; readonly lastLine: number }[];
}

/** Undefined: nothing is handed over. */
export function handOver(files: readonly HeldFile[], caps: HandCaps = usualHandCaps): HandedFiles | undefined {
  const parts: { readonly shared: boolean; readonly text: string }[] = [];
  const reads: ShownLines[] = [];
  let left = caps.all;
  for (const file of files) {
    for (const { firstLine, lastLine } of merged(file.ranges)) {
      const text = `${headOf(file, firstLine, lastLine)}\n${file.lines.slice(firstLine - 1, lastLine).join('\n')}`;
      const bytes = utf8Length(text);
      if (bytes > Math.min(caps.file, left)) continue;
      left -= bytes;
      parts.push({ shared: file.shared, text });
      reads.push({
        path: file.path,
        hash: file.hash,
        lines: file.lines.length,
        firstLine,
        lastLine,
        by: [handedCall],
      });
    }
  }
  if (parts.length === 0) return undefined;
  const blocks = [true, false].map((shared) => parts.filter((part) => part.shared === shared));
  const texts = blocks.flatMap((block) => (block.length === 0 ? [] : [blockText(block.map(({ text }) => text))]));
  return { texts, reads };
}

function headOf({ path, lines }: HeldFile, firstLine: number, lastLine: number): string {
  const part =
    firstLine === 1 && lastLine === lines.length ? '' : `, lines ${firstLine}-${lastLine} of ${lines.length}`;
  return `==> ${path}${part} <==`;
}

function blockText(parts: readonly string[]): string {
  return `Files as they are now; they need not be read again:\n${parts.join('\n')}`;
}

function merged(ranges: HeldFile['ranges']): readonly { firstLine: number; lastLine: number }[] {
  const whole: { firstLine: number; lastLine: number }[] = [];
  for (const { firstLine, lastLine } of ranges.toSorted((a, b) => a.firstLine - b.firstLine)) {
    const last = whole.at(-1);
    if (last !== undefined && firstLine <= last.lastLine + 1) last.lastLine = Math.max(last.lastLine, lastLine);
    else whole.push({ firstLine, lastLine });
  }
  return whole;
}
