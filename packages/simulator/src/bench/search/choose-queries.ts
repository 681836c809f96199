/** Chooses queries of each class from the words of a tree, by how many of its files hold them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Query } from './built.ts';

export const classNames = [
  'rare',
  'mid',
  'common',
  'regex',
  'alternation',
  'icase',
  'noMatch',
  'broad',
  'short',
  'noLiteral',
] as const;

export type ClassName = (typeof classNames)[number];

/** The share of files that a class's words are in. */
const shares = { rare: [0, 0.001], mid: [0.002, 0.03], common: [0.05, 0.2], broad: [0.3, 1] } as const;
const sampled = 3_000;

export type Queries = Readonly<Record<ClassName, readonly Query[]>>;

/** The same tree gives the same queries. */
export function chooseQueries(tree: string, files: readonly string[]): Queries {
  const step = Math.max(1, Math.floor(files.length / sampled));
  const sample = files.filter((_, i) => i % step === 0);
  const words = countWords(tree, sample);
  const wordsOf = ([low, high]: readonly [number, number], count: number) =>
    spread(
      words.filter(([, files]) => files > low * sample.length && files <= Math.max(1, high * sample.length)),
      count,
    );
  const [rare, mid, common] = [wordsOf(shares.rare, 6), wordsOf(shares.mid, 9), wordsOf(shares.common, 3)];
  const [m0 = '', m1 = '', m2 = '', m3 = '', m4 = '', m5 = ''] = mid.slice(3);
  const [r3 = '', r4 = '', r5 = ''] = rare.slice(3);
  return {
    rare: rare.slice(0, 3).map(literal),
    mid: mid.slice(0, 3).map(literal),
    common: common.map(literal),
    regex: [
      { pattern: `${m0}\\w*\\s*\\(` },
      { pattern: `^\\s*.*\\b${m1}\\b` },
      { pattern: `${m2.slice(0, -1)}\\w+ ?=` },
    ],
    alternation: [{ pattern: `${r3}|${r4}|${r5}` }, { pattern: `${m3}|${m4}` }, { pattern: `${m5}|${r3}|${m0}` }],
    icase: [m3, m4, r4].map((pattern) => ({ pattern: pattern.toLowerCase(), ignoreCase: true })),
    noMatch: [{ pattern: 'zzqqxxyynomatch' }, { pattern: 'qzxwvk_jjq', ignoreCase: true }],
    broad: wordsOf(shares.broad, 1).map(literal),
    short: ['if', '=>', ';;'].map(literal),
    noLiteral: [{ pattern: '\\b[A-Z]{2}[0-9]{5}\\b' }],
  };
}

function literal(pattern: string): Query {
  return { pattern, literal: true };
}

/** Words of identifiers, by the files of the sample that hold them, in an order that does not depend on chance. */
function countWords(tree: string, files: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const text = readFileSync(join(tree, file)).toString('latin1').slice(0, 200_000);
    for (const word of new Set(text.match(/\b[A-Za-z_]{6,24}\b/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => a[1] - b[1] || hash(a[0]) - hash(b[0]));
}

/** From the whole range, not only from one end. */
function spread(words: readonly [string, number][], count: number): string[] {
  const step = Math.max(1, Math.floor(words.length / count));
  return words
    .filter((_, i) => i % step === Math.floor(step / 2))
    .slice(0, count)
    .map(([word]) => word);
}

function hash(word: string): number {
  let value = 7;
  for (const char of word) value = (value * 31 + char.charCodeAt(0)) >>> 0;
  return value;
}
