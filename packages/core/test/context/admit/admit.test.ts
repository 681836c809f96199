import { expect, test } from '@jest/globals';
import { type AdmitBody, admit, headCap } from '@zerd/core/context/admit/admit';
import { type HitsBody, hitsText } from '@zerd/core/context/admit/admit-hits';
import { type Caps, defaultCaps } from '@zerd/core/context/admit/caps';
import { isWellFormed, utf8Length } from '@zerd/core/text/utf8';
import fc from 'fast-check';

const archiveId = '0123456789ab';

function show(
  tool: string,
  body: AdmitBody,
  more: { failed?: boolean; head?: string; archiveId?: string | undefined; caps?: Caps } = {},
) {
  return admit({ tool, failed: false, body, archiveId, caps: defaultCaps, ...more });
}

const text = (value: string): AdmitBody => ({ kind: 'text', text: value });
const numbered = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i + 1));

test('what fits is shown as it is, the head line in front', () => {
  expect(show('shell', text('a\nb\n'), { head: 'exit 1', failed: true })).toEqual({
    shown: 'exit 1\na\nb',
    whole: true,
  });
  expect(show('shell', text(''), { head: 'exit 1' })).toEqual({ shown: 'exit 1\n(no output)', whole: true });
  expect(show('shell', text('\x1b[0m\n'))).toEqual({ shown: '(no output)', whole: true });
  expect(show('read', text('a\n\nb\n'))).toEqual({ shown: 'a\n\nb\n', whole: true });
});

test('P118 P120: a long output keeps head and tail, and names the middle in one line, failing or not', () => {
  const words = ['apple', 'river', 'stone', 'cloud', 'tiger'];
  const lines = numbered(1_000, (i) =>
    `${words[i % 5]} ${words[(i * 7) % 4]} ${'abcdefghij'[i % 10]}`.padEnd(20 + (i % 7), 'z'),
  );
  for (const failed of [false, true]) {
    const { shown, whole } = show('shell', text(`${lines.join('\n')}\n`), { failed });
    const all = shown.split('\n');
    const notices = all.filter((line) => line.startsWith('['));
    expect(whole).toBe(false);
    expect(notices).toHaveLength(1);
    const [, left, from, to] =
      /^\[(\d+) lines \((\d+)-(\d+)\), [\d,]+ bytes left out: recall \{"id":"0123456789ab","offset":\2,"limit":100\} or "pattern"\]$/.exec(
        notices[0] ?? '',
      ) ?? [];
    expect(all.slice(0, Number(from) - 1)).toEqual(lines.slice(0, Number(from) - 1));
    expect(all.slice(Number(from))).toEqual(lines.slice(Number(to)));
    expect(Number(left)).toBe(Number(to) - Number(from) + 1);
    expect(utf8Length(shown)).toBeGreaterThan((failed ? defaultCaps.failingShell : defaultCaps.shell) * 0.85);
  }
});

test('lines of the middle that report an error stay in place, like ones counted', () => {
  const lines = numbered(
    2_000,
    (i) => `compiling ${String.fromCharCode(97 + (i % 26))}${String.fromCharCode(97 + ((i * 7) % 25))}.c`,
  );
  lines[700] = 'src/a.c:10: error: unknown type name foo';
  lines[800] = 'src/b.c:99: error: expected a semicolon';
  lines[900] = 'src/a.c:12: error: unknown type name foo';
  lines[901] = '0 errors, 0 failed';
  const shown = show('shell', text(lines.join('\n')), { failed: true }).shown.split('\n');
  const at = shown.findIndex((line) => line.endsWith('errors in it]'));
  expect(shown.slice(at + 1, at + 3)).toEqual([
    '701: src/a.c:10: error: unknown type name foo (+1 like it)',
    '801: src/b.c:99: error: expected a semicolon',
  ]);
});

test('errors take at most half of the cap', () => {
  const lines = numbered(
    3_000,
    (i) =>
      `error: ${'abcdefghij'[i % 10]}${'klmnopqrst'[Math.floor(i / 10) % 10]}${'uvwxyzabcd'[Math.floor(i / 100) % 10]} is wrong here`,
  );
  const { shown } = show('shell', text(lines.join('\n')), { failed: true });
  const kept = shown.split('\n').filter((line) => /^\d+: error/.test(line));
  expect(utf8Length(kept.join('\n'))).toBeLessThanOrEqual(defaultCaps.failingShell / 2);
  expect(kept.length).toBeGreaterThan(20);
});

test('over-long lines are clipped before any line is left out: every line survives', () => {
  const lines = numbered(5, (i) => `${i} ${'é'.repeat(2_000)} end${i}`);
  const { shown, whole } = show('shell', text(lines.join('\n')));
  const all = shown.split('\n');
  expect(whole).toBe(false);
  expect(all).toHaveLength(6);
  for (const [i, line] of all.slice(0, 5).entries()) {
    expect(line).toMatch(new RegExp(`^${i + 1} é+ \\[3,\\d{3} bytes left out\\] é+ end${i + 1}$`));
    expect(utf8Length(line)).toBeLessThanOrEqual(defaultCaps.line);
  }
  expect(all[5]).toBe('[shortened; the whole: recall {"id":"0123456789ab"} with "pattern" or "offset"]');
});

test('what reading would not explain is told as such', () => {
  expect(show('shell', text(`key ${'QUJD'.repeat(5_000)}`)).shown).toMatch(
    /^key [A-Z]+ \[19,\d{3} encoded bytes left out\] [A-Z]+\n/,
  );
  expect(show('shell', text('\ufffd\x01ELF\ufffd\ufffd\0\0'.repeat(100)))).toEqual({
    shown: '[binary output: 1,500 bytes, archived as 0123456789ab]',
    whole: false,
  });
});

test('of a body too large to look at, the two ends are shown and the middle counted by the totals', () => {
  const body: AdmitBody = {
    kind: 'ends',
    headText: numbered(500, (i) => `head ${i}`)
      .join('\n')
      .concat('\n'),
    tailText: numbered(500, (i) => `tail ${i}`)
      .join('\n')
      .concat('\n'),
    totalBytes: 5_000_000_000,
    totalLines: 1_000_000,
  };
  const shown = show('shell', body).shown.split('\n');
  expect([shown[0], shown.at(-1)]).toEqual(['head 1', 'tail 500']);
  expect(shown[3]).toBe(
    '[999,000 lines (501-999500), 4,999,991,216 bytes left out: recall {"id":"0123456789ab","offset":501,"limit":100} or "pattern"; only the first and last 32 MiB are kept]',
  );
});

test('an empty tail means that the head is everything', () => {
  expect(show('shell', { kind: 'ends', headText: 'all\n', tailText: '', totalBytes: 4, totalLines: 1 })).toEqual({
    shown: 'all',
    whole: true,
  });
});

const hit = (path: string, line: number, words: string, column = words.indexOf('needle')) => ({
  path,
  line,
  text: words,
  column,
});
const found = (hits: HitsBody['hits'], more: Partial<HitsBody> = {}): AdmitBody => ({
  kind: 'hits',
  hits,
  totalMatches: hits.filter((one) => one.column !== undefined).length,
  totalFiles: new Set(hits.map((one) => one.path)).size,
  files: [],
  ...more,
});

test('matches are shown by file, context lines with a dash', () => {
  const hits = [
    { path: 'a.ts', line: 1, text: 'before' },
    hit('a.ts', 2, 'a needle'),
    { path: 'a.ts', line: 9, text: 'far' },
    hit('b/c.ts', 7, 'needle'),
  ];
  expect(show('search', found(hits))).toEqual({
    shown: 'a.ts\n1- before\n2: a needle\n--\n9- far\nb/c.ts\n7: needle',
    whole: true,
  });
});

test('P054 P056: a long line is clipped around its match, and the missing bytes are told', () => {
  const { shown, whole } = show(
    'search',
    found([hit('min.js', 1, `${'a b;'.repeat(1_000)}needle${'c d;'.repeat(160_000)}`)]),
  );
  const [path, line, note] = shown.split('\n');
  expect([path, note, whole]).toEqual([
    'min.js',
    '[long lines clipped; more of them: recall {"id":"0123456789ab"}]',
    false,
  ]);
  expect(line).toMatch(/^1: \[3,\d{3} bytes left out\] [ab; ]+needle[cd; ]+ \[639,\d{3} bytes left out\]$/);
  expect(utf8Length(line ?? '')).toBeLessThanOrEqual(defaultCaps.line + 3);
});

test('bytes that were cut at the source count as missing', () => {
  expect(
    show('search', found([{ ...hit('x', 1, 'a needle b'), cutBefore: 1_000, cutAfter: 2_000_000 }])).shown,
  ).toContain('1: [1,000 bytes left out] a needle b [2,000,000 bytes left out]');
});

test('an over-broad search gives true totals, counts by folder and file, and a few samples', () => {
  const files = numbered(300, (i) => `src/${i % 3 === 0 ? 'core' : 'web'}/file-${String(i).padStart(3, '0')}.ts`);
  const hits = files.flatMap((path) => numbered(4, (line) => hit(path, line, `const needle${line} = 1`)));
  const body = found(hits, {
    totalMatches: 9_999,
    totalFiles: 700,
    files: files.map((path, i) => ({ path, count: i === 7 ? 50 : 4 })),
  });
  const shown = show('search', body).shown.split('\n');
  expect(shown.slice(0, 2)).toEqual([
    '9,999 matches in 700 files: too many to show. Narrow by path, glob or pattern or recall {"id":"0123456789ab","pattern":...}.',
    'By folder: src/web/ 846, src/core/ 400',
  ]);
  expect(shown[2]).toMatch(/^By file: src\/web\/file-008\.ts 50, src\/core\/file-003\.ts 4, .*, 2\d\d more$/);
  expect(shown.slice(3, 6)).toEqual(['Samples:', 'src/web/file-001.ts', '1: const needle1 = 1']);
  expect(new Set(shown.slice(4).filter((line) => line.startsWith('src/'))).size).toBeGreaterThan(20);
});

test('P060 P062: counts of a search that is too broad say when hidden and ignored files are not among them', () => {
  const hits = Array.from({ length: 400 }, (_, i) => hit(`src/file-${i}.ts`, 1, 'needle '.repeat(9)));
  const aside = / Hidden and ignored files were not searched\.$/;
  expect(show('search', found(hits, { partial: true })).shown.split('\n')[0]).toMatch(aside);
  expect(show('search', found(hits)).shown.split('\n')[0]).not.toMatch(aside);
});

test('an incomplete search says so', () => {
  expect(show('search', found([hit('a', 1, 'needle')], { incomplete: 'stopped after 20 s' }))).toEqual({
    shown: 'a\n1: needle\n[incomplete: stopped after 20 s]',
    whole: false,
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc
    .array(
      fc.oneof(
        fc.string({ maxLength: 80 }),
        fc.constantFrom('\n', '\r\n', 'error: x\n', '\ud800', '\u{1f469}\u200d\u{1f469}', '50%\r', '\x1b[31m'),
      ),
      { maxLength: 400 },
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.nat({ max: 500 }))
    .map(([part, count]) => `${part}\n`.repeat(count)),
  fc.nat({ max: 20_000 }).map((length) => 'long\u00e9'.repeat(length)),
);
const anyTool = fc.constantFrom('shell', 'read', 'recall', 'edit', 'find', 'mcp');
const smallCaps: Caps = { line: 120, shell: 900, failingShell: 1_200, search: 900, read: 1_500, other: 800 };

test('I4 I12: whatever comes in, what is shown stays within the cap, is well-formed, and is the same each time', () => {
  fc.assert(
    fc.property(
      anyText,
      anyTool,
      fc.boolean(),
      fc.option(fc.string({ unit: 'binary', maxLength: 2_000 }), { nil: undefined }),
      (value, tool, failed, head) => {
        const input = {
          tool,
          failed,
          body: text(value),
          archiveId,
          caps: smallCaps,
          ...(head === undefined ? {} : { head }),
        };
        const first = admit(input);
        expect(utf8Length(first.shown)).toBeLessThanOrEqual(smallCaps.read + headCap + 1);
        if (tool === 'shell' && head === undefined)
          expect(utf8Length(first.shown)).toBeLessThanOrEqual(failed ? smallCaps.failingShell : smallCaps.shell);
        expect(isWellFormed(first.shown)).toBe(true);
        expect(admit(input)).toEqual(first);
      },
    ),
    { numRuns: 300 },
  );
});

test('I4: whole says exactly whether everything of a file is there', () => {
  fc.assert(
    fc.property(
      anyText.filter((value) => value !== '' && isWellFormed(value)),
      (value) => {
        const { shown, whole } = show('read', text(value), { caps: smallCaps });
        expect(shown === value).toBe(whole);
      },
    ),
    { numRuns: 300 },
  );
});

test('I4: matches of any shape and number stay within the cap', () => {
  const anyHit = fc.record({
    path: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
    line: fc.nat(),
    text: fc.string({ unit: 'binary', maxLength: 300 }),
    column: fc.nat({ max: 400 }),
    cutBefore: fc.nat(),
    cutAfter: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(anyHit, { maxLength: 80 }), fc.nat(), (hits, more) => {
      const files = hits.map(({ path }) => ({ path, count: 1 }));
      const { shown } = show('search', found(hits, { files, totalMatches: hits.length + more }), { caps: smallCaps });
      expect(utf8Length(shown)).toBeLessThanOrEqual(smallCaps.search);
      expect(isWellFormed(shown)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('F-20: of very many lines no more than 20,000 at each end are looked at, and the totals stay true', () => {
  const y = 'y\n[the same line 19,999 more times]';
  const left = (lines: string, bytes: string) =>
    `[${lines}, ${bytes} bytes left out: recall {"id":"0123456789ab","offset":20001,"limit":100} or "pattern"]`;
  expect(show('shell', text('y\n'.repeat(524_288)))).toEqual({
    shown: `${y}\n${left('484,288 lines (20001-504288)', '968,576')}\n${y}`,
    whole: false,
  });
  const ends = { kind: 'ends', headText: 'y\n'.repeat(524_288), tailText: 'y\n'.repeat(524_288) } as const;
  expect(show('shell', { ...ends, totalBytes: 60_000_000, totalLines: 30_000_000 }).shown).toBe(
    `${y}\n${left('29,960,000 lines (20001-29980000)', '59,920,000')}\n${y}`,
  );
});

test('as many lines as both ends hold are looked at without a gap', () => {
  const lines = (count: number) => show('shell', text('y\n'.repeat(count))).shown;
  expect(lines(40_000)).toBe('y\n[the same line 39,999 more times]');
  expect(lines(40_001)).toContain('[1 line (20001-20001), 2 bytes left out');
});

test('what reads a text by lines takes no more of it than the cap has room for, whatever its lines', () => {
  for (const tool of ['read', 'recall', 'shell', 'other'])
    for (const line of ['', 'y', 'é'])
      expect(utf8Length(show(tool, text(`${line}\n`.repeat(100_000))).shown)).toBeLessThanOrEqual(16_000);
});

test('a path with a newline in it stays one line: a name must not pass for another line', () => {
  const path = 'a\nREADME.md';
  const hits = [{ path, line: 1, text: 'x', column: 0 }];
  const body: HitsBody = { hits, totalMatches: 1, totalFiles: 1, files: [{ path, count: 1 }] };
  expect(show('search', { kind: 'hits', ...body }).shown).toBe('"a\\nREADME.md"\n1: x');
  expect(hitsText(body)).toBe('"a\\nREADME.md":1:x\n\n1 match in 1 file\n1 "a\\nREADME.md"');
});
