/**
 * Puts into the tree what the recorded searches found: lines that their patterns match, about as many and as long as were
 * printed, in the file that was searched or in files of their own below the folder that was. Sizes of files stay.
 */
import { stringOf } from '../../wire.ts';
import type { Tree } from './base-tree.ts';
import { foldersOf } from './made-path.ts';
import { makeLine, makeText } from './made-text.ts';
import { numberOf, type RecordedCall } from './recorded.ts';
import { matches, pathSample, sampleOf } from './sample.ts';

const mostMatches = 300;
const mostFiles = 100;

/** Changes `tree`, so that what the call names exists and holds what it found. */
export function plantSearch(tree: Tree, call: RecordedCall, path: string, seed: string): void {
  const text = tree.get(path);
  const glob = globOf(call);
  const find = call.resultLines > 1 ? findOf(call) : undefined;
  if (text !== undefined) {
    if (find !== undefined) tree.set(path, withMatches(text, find, seed));
    return;
  }
  const hosts = hostsFor(path, glob, find, seed).filter((host) => hasRoom(tree, host));
  const each = find === undefined ? 0 : Math.ceil(find.count / Math.max(1, hosts.length));
  for (const [i, host] of hosts.entries()) tree.set(host, hostText(find, each, `${seed}h${i}`));
}

/** Changes `tree`, so that a recorded list of files is about as long again. `pattern` is relative to the root. */
export function plantFiles(tree: Tree, call: RecordedCall, pattern: string, seed: string): void {
  const count = Math.min(mostFiles, call.resultBytes < 24 ? 0 : call.resultLines);
  for (let i = 0; i < count; i++) {
    const path = pathSample(pattern, `${seed}n${i}`);
    if (path === undefined || !hasRoom(tree, path)) return;
    tree.set(path, makeText({ seed: `${seed}g${i}`, bytes: 400, lineBreaks: 12, closed: true }));
  }
}

export function globOf({ args }: RecordedCall): string | undefined {
  const glob = stringOf(args.glob) || stringOf(args.include);
  const type = stringOf(args.type);
  return glob !== '' ? glob : /^\w+$/.test(type) ? `*.${type}` : undefined;
}

/** A search's wish for lines around a match, on both sides alike. */
export function contextOf({ args }: RecordedCall): number {
  const sides = [args['-A'], args['-B']].map((side) => numberOf(side) ?? 0);
  const both = numberOf(args['-C']) ?? numberOf(args.context) ?? Math.ceil(((sides[0] ?? 0) + (sides[1] ?? 0)) / 2);
  return Math.min(20, Math.max(0, Math.floor(both)));
}

interface Find {
  readonly pattern: string;
  readonly sample: string;
  readonly count: number;
  readonly lineBytes: number;
  /** The names of files were printed, not lines. */
  readonly names: boolean;
}

function findOf(call: RecordedCall): Find | undefined {
  const pattern = stringOf(call.args.pattern);
  const sample = sampleOf(call.args['-i'] === true ? `(?i)${pattern}` : pattern);
  if (sample === undefined) return undefined;
  const names = /files/.test(stringOf(call.args.output_mode));
  const count = names ? call.resultLines : Math.ceil(call.resultLines / (1 + 2 * contextOf(call)));
  const lineBytes = Math.min(400, Math.max(20, Math.round(call.resultBytes / call.resultLines) - 10));
  return { pattern, sample, count: Math.min(count, mostMatches), lineBytes, names };
}

/** Lines that are long enough, evenly spread, get the sample at their beginning. */
function withMatches(text: string, find: Find, seed: string): string {
  const lines = text.split('\n');
  const bytes = Buffer.byteLength(find.sample);
  const able = lines.flatMap((line, i) => (Buffer.byteLength(line) > bytes + seed.length + 6 ? [i] : []));
  const step = Math.max(1, Math.floor(able.length / Math.max(1, find.count)));
  for (const [n, at] of able.filter((_, i) => i % step === step - 1).entries()) {
    if (n >= find.count) break;
    const line = `${find.sample} ${makeLine(Buffer.byteLength(lines[at] ?? '') - bytes - 1, `${seed}p`, at)}`;
    if (matches(find.pattern, line)) lines[at] = line;
  }
  return lines.join('\n');
}

/** Files below a folder: as many as were named, or a few that share the matches. */
function hostsFor(path: string, glob: string | undefined, find: Find | undefined, seed: string): readonly string[] {
  const below = path === '.' ? '' : `${path}/`;
  const count = find === undefined ? 1 : find.names ? Math.min(find.count, mostFiles) : Math.min(5, find.count);
  return Array.from({ length: count }, (_, i) => {
    const name = `${seed}f${i}`;
    return below + (pathSample(glob ?? '*.txt', name) ?? `${name}.txt`).replace(/^\/+/, '');
  });
}

function hostText(find: Find | undefined, count: number, seed: string): string {
  const filler = makeText({ seed: `${seed}t`, bytes: 40 * (6 + 8 * count), lineBreaks: 6 + 8 * count, closed: true });
  if (find === undefined || count === 0) return filler;
  const lines = filler.split('\n');
  for (let i = 0; i < count; i++) {
    const size = Math.max(1, find.lineBytes - Buffer.byteLength(find.sample) - 1);
    const line = `${find.sample} ${makeLine(size, `${seed}m`, i)}`;
    lines[3 + 8 * i] = matches(find.pattern, line) ? line : find.sample;
  }
  return lines.join('\n');
}

/** Neither a file where a folder is, nor a folder where a file is. */
function hasRoom(tree: Tree, path: string): boolean {
  if (tree.has(path) || foldersOf(path).some((folder) => tree.has(folder))) return false;
  return ![...tree.keys()].some((other) => other.startsWith(`${path}/`));
}
