import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Answer, linesOf, openDesk } from './desk.ts';

/**
 * A reader who has nothing but the results, and the edits that it made itself. Its copies are runs of lines; every line
 * of a story is its own, so a line says where it belongs.
 */
function newReader() {
  let copies: readonly Copy[] = [];
  return {
    /** A pointer is only good for lines that the reader has: in a row, or in rows that meet at an end. */
    claims(lines: readonly string[]): void {
      const dead = new Set<string>();
      const has = (from: number, ended: boolean): boolean => {
        if (from === lines.length) return true;
        if (dead.has(`${from} ${ended}`)) return false;
        const rows = copies.map((copy) => rowIn(copy.lines, lines, from)).filter(({ begins }) => ended || begins);
        const found = rows.some(({ count, ends }) =>
          Array.from({ length: count }, (_, i) => count - i).some((part) => has(from + part, ends && part === count)),
        );
        if (!found) dead.add(`${from} ${ended}`);
        return found;
      };
      expect({ lines, has: has(0, true) }).toEqual({ lines, has: true });
    },
    keeps(callId: string, lines: readonly string[]): void {
      if (lines.length > 0) copies = [...copies, { callId, lines }];
    },
    /** What a diff says of these lines must be what the calls that it starts from show of them. */
    startsFrom(old: readonly string[], calls: readonly string[]): void {
      for (const { callId, lines } of copies) {
        const start = startOf(lines, old);
        if (start === undefined || !calls.includes(callId)) continue;
        const part = lines.slice(Math.max(0, start), start + old.length);
        expect({ callId, part }).toEqual({ callId, part: old.slice(Math.max(0, -start)).slice(0, part.length) });
      }
    },
    /** `old` are lines in a row that became `now`. */
    changes(old: readonly string[], now: readonly string[]): void {
      copies = copies.map((copy) => {
        const start = startOf(copy.lines, old);
        if (start === undefined) return copy;
        const after = copy.lines.slice(Math.max(0, start + old.length));
        return { ...copy, lines: [...copy.lines.slice(0, Math.max(0, start)), ...now, ...after] };
      });
    },
  };
}

interface Copy {
  readonly callId: string;
  readonly lines: readonly string[];
}

/** Where `old` begins in a copy that has some of it, perhaps before its first line; undefined: it has none. */
function startOf(copy: readonly string[], old: readonly string[]): number | undefined {
  const known = old.findIndex((line) => copy.includes(line));
  return known < 0 ? undefined : copy.indexOf(old[known] ?? '') - known;
}

function rowIn(copy: readonly string[], lines: readonly string[], from: number) {
  const at = copy.indexOf(lines[from] ?? '');
  let count = 0;
  while (at >= 0 && from + count < lines.length && copy[at + count] === lines[from + count]) count += 1;
  return { count, begins: at === 0, ends: at + count === copy.length };
}

type Reader = ReturnType<typeof newReader>;

const pointer = /^\[a\.ts unchanged since calls? .*: lines? (\d+)(?:-(\d+))? above/;

function follow(reader: Reader, answer: Answer, first: number, wanted: readonly string[]): void {
  const lines = linesOf(answer.text).filter((line) => !/^a\.ts lines |^\[\d+ times in a row/.test(line));
  if (/^\[a\.ts changed since/.test(lines[0] ?? '')) {
    applyDiff(reader, answer, lines.slice(1));
    reader.claims(wanted);
    return;
  }
  if (lines[0]?.startsWith('[same as ') === true) {
    reader.claims(wanted);
    return;
  }
  const seen: string[] = [];
  for (const line of lines) {
    const range = pointer.exec(line);
    const run = /^\[([\d,]+) lines as in call/.exec(line);
    if (range === null && run === null) {
      expect(line).toBe(wanted[seen.length]);
      seen.push(line);
      continue;
    }
    const count = run ? Number(run[1]) : Number(range?.[2] ?? range?.[1]) - Number(range?.[1]) + 1;
    if (range) expect(Number(range[1])).toBe(first + seen.length);
    const part = wanted.slice(seen.length, seen.length + count);
    expect(part).toHaveLength(count);
    reader.claims(part);
    seen.push(...part);
  }
  expect(seen).toEqual(wanted);
  reader.keeps(answer.callId, seen);
}

function applyDiff(reader: Reader, { callId, leansOn = [] }: Answer, lines: readonly string[]): void {
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('@@ ')) hunks.push([]);
    else hunks.at(-1)?.push(line);
  }
  for (const hunk of hunks) {
    const side = (sign: string) => hunk.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
    reader.startsFrom(side('+'), leansOn);
    reader.changes(side('+'), side('-'));
    reader.keeps(callId, side('-'));
  }
}

/** Of a result with a middle left out, the lines around it. */
function followCut(reader: Reader, { callId, text }: Answer, wanted: readonly string[]): void {
  const lines = linesOf(text);
  const first = lines.findIndex((line, i) => line !== wanted[i]);
  const last = lines.findLastIndex((line) => !wanted.includes(line));
  reader.keeps(callId, lines.slice(0, first));
  reader.keeps(callId, lines.slice(last + 1));
}

const at = fc.nat(200);
const move = fc.oneof(
  {
    arbitrary: fc.record({ kind: fc.constant('read' as const), at, count: fc.option(fc.integer({ min: 1, max: 70 })) }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: fc.constant('cat' as const), at, count: fc.constant(null) }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constantFrom('edit' as const, 'change' as const), at, count: fc.nat(24) }),
    weight: 4,
  },
);

type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

/** Two changes: the first was never told, and the second may not be told against what was shown before it. */
const afterAnUntoldChange: [number, Move[]] = [
  18,
  [
    { kind: 'cat', at: 0, count: null },
    { kind: 'change', at: 20, count: 3 },
    { kind: 'read', at: 10, count: null },
    { kind: 'change', at: 61, count: 2 },
    { kind: 'read', at: 49, count: null },
  ],
];

test('I5: a reader who follows pointers and diffs has every line that it asked for, whoever changed the file', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.array(move, { maxLength: 20 }), (size, moves) => {
      const desk = openDesk();
      const reader = newReader();
      let made = 0;
      const fresh = (count: number) =>
        Array.from({ length: count }, () => `line number ${++made} of all that were made`);
      let lines = fresh(size);
      const save = () => desk.put('a.ts', lines.map((line) => `${line}\n`).join(''));
      save();
      for (const { kind, at: place, count } of moves) {
        const where = place % lines.length;
        if (kind === 'read') {
          const answer = desk.read('a.ts', where + 1, count ?? Number.POSITIVE_INFINITY);
          follow(reader, answer, where + 1, lines.slice(where, count === null ? undefined : where + count));
        } else if (kind === 'cat') {
          const answer = desk.cat('a.ts');
          if (answer.text.includes('left out')) followCut(reader, answer, lines);
          else follow(reader, answer, 1, lines);
        } else {
          const old = lines[where] ?? '';
          const next = [...fresh(Math.max(count ?? 0, lines.length === 1 ? 1 : 0))];
          lines = lines.toSpliced(where, 1, ...next);
          if (kind === 'change') save();
          else {
            desk.edit('a.ts', `${old}\n`, next.map((line) => `${line}\n`).join(''));
            reader.changes([old], next);
          }
        }
      }
    }),
    { numRuns: 120, examples: [afterAnUntoldChange] },
  );
});
