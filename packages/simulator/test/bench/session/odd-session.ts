/** A session written by hand, with everything that is odd in real ones: places, sizes, paths, patterns, endings. */

interface Wish {
  readonly tool: string;
  readonly args?: object;
  readonly result?: readonly [bytes: number, lines: number, hash?: string];
  readonly error?: true;
  /** Shares the answer with the call before it. */
  readonly joined?: true;
}

const edit = (path: string, more: object, error?: true): Wish => ({
  tool: 'edit',
  args: {
    path,
    edits: [{ old_lines: 1, new_lines: 1, old_bytes: 20, new_bytes: 25, occurrences: 1, at_line: 1, ...more }],
  },
  ...(error && { error }),
});
const read = (path: string, more: object = {}, error?: true): Wish => ({
  tool: 'read',
  args: { path, ...more },
  ...(error && { error }),
});
const search = (pattern: string, more: object = {}, error?: true): Wish => ({
  tool: 'search',
  args: { pattern, output_mode: 'content', ...more },
  result: [900, 12],
  ...(error && { error }),
});
const write = (path: string, bytes: number, lines: number, error?: true): Wish => ({
  tool: 'write',
  args: { path, new_bytes: bytes, new_lines: lines },
  ...(error && { error }),
});
const shell = (command: string, result: Wish['result'], error?: true): Wish => ({
  tool: 'shell',
  args: { command },
  ...(result && { result }),
  ...(error && { error }),
});

const files = {
  'src/größe 世界.ts': { lines: 120, bytes: 4_800, crlf: 0, at_base: true },
  'src/dos.txt': { lines: 40, bytes: 1_600, crlf: 40, at_base: true },
  'src/mixed.txt': { lines: 40, bytes: 1_600, crlf: 7, at_base: true },
  'empty.md': { lines: 0, bytes: 0, crlf: 0, at_base: true },
  'one-line.min.js': { lines: 0, bytes: 9_000, crlf: 0, at_base: true },
  'blank.txt': { lines: 50, bytes: 50, crlf: 0, at_base: true },
  'tiny.txt': { lines: 30, bytes: 70, crlf: 0, at_base: true },
  'notes.ipynb': { lines: 20, bytes: 700, crlf: 0, at_base: true },
  'picture.png': { lines: 3, bytes: 300, crlf: 0, at_base: true },
  'overwritten.md': { lines: 200, bytes: 8_000, crlf: 0, at_base: true },
  'untouched.go': { lines: 100, bytes: 3_000, crlf: 0, at_base: true },
  '<home>/…/plan.md': { at_base: false },
  'new.ts': { at_base: false },
};

const calls: readonly Wish[] = [
  read('src/größe 世界.ts'),
  read('src/größe 世界.ts', { offset: 500, limit: 20, first_line: 500, last_line: 519 }),
  read('src/größe 世界.ts', { offset: 500, limit: 20 }, true),
  read('src/größe 世界.ts', { offset: 0, limit: 0 }),
  read('src/größe 世界.ts', { first_line: 1, last_line: 121 }),
  edit('src/größe 世界.ts', { at_line: 120, old_lines: 8, new_lines: 0, new_bytes: 0, old_bytes: 300 }),
  edit('src/größe 世界.ts', { at_line: 1, old_lines: 1, old_bytes: 1 }),
  edit('src/größe 世界.ts', { at_line: 999, old_lines: 400, old_bytes: 90_000, new_lines: 30, new_bytes: 2_000 }),
  edit('src/größe 世界.ts', { occurrences: 0, at_line: undefined }),
  edit('src/größe 世界.ts', { occurrences: 3 }, true),
  edit('src/größe 世界.ts', { occurrences: 4 }),
  edit('src/größe 世界.ts', {}, true),
  edit('src/größe 世界.ts', { old_lines: 3, old_bytes: 90, at_line: 7, new_bytes: 90, new_lines: 3 }),
  {
    tool: 'edit',
    args: {
      path: 'src/größe 世界.ts',
      edits: [2, 9, 15].map((at_line) => ({
        old_lines: 2,
        new_lines: 1,
        old_bytes: 60,
        new_bytes: 10,
        occurrences: 1,
        at_line,
      })),
    },
  },
  edit('src/dos.txt', { at_line: 12, old_lines: 4, old_bytes: 150, new_lines: 6, new_bytes: 200 }),
  read('src/dos.txt', { offset: 10, limit: 10, first_line: 10, last_line: 19 }),
  edit('src/mixed.txt', { at_line: 6, old_lines: 4, old_bytes: 150, new_lines: 2, new_bytes: 60 }),
  { ...read('src/dos.txt'), joined: true },
  { ...read('src/mixed.txt'), joined: true },
  read('empty.md'),
  edit('empty.md', { old_bytes: 0, old_lines: 0, new_bytes: 300, new_lines: 9 }),
  edit('empty.md', { at_line: 5 }),
  edit('one-line.min.js', { old_bytes: 40, at_line: 1 }),
  edit('one-line.min.js', { old_bytes: 40_000, at_line: 1, new_bytes: 12 }),
  edit('blank.txt', { at_line: 25, old_bytes: 2, old_lines: 2 }),
  read('blank.txt'),
  edit('tiny.txt', { at_line: 30, old_bytes: 1 }),
  edit('tiny.txt', { at_line: 15, old_lines: 2, old_bytes: 4 }),
  read('notes.ipynb'),
  edit('notes.ipynb', { at_line: 11 }),
  read('picture.png'),
  write('overwritten.md', 900, 30),
  read('overwritten.md'),
  write('overwritten.md', 0, 0),
  read('overwritten.md'),
  write('overwritten.md', 70, 1),
  edit('overwritten.md', { at_line: 1, old_bytes: 70 }),
  write('new.ts', 2_228, 77),
  edit('new.ts', { at_line: 77 }),
  read('new.ts', { offset: 70, limit: 50, first_line: 70, last_line: 77 }),
  read('no/such.ts', {}, true),
  read('src', {}),
  read('src', {}, true),
  edit('never-seen.rs', { at_line: 210, old_lines: 11 }),
  edit('gone.rs', {}, true),
  write('locked.txt', 20, 1, true),
  read('<home>/…/plan.md', { first_line: 1, last_line: 86 }),
  edit('<home>/…/plan.md', { at_line: undefined, occurrences: undefined, old_lines: 4 }),
  write('<tmp>/scratch.py', 300, 10),
  read('C:\\Users\\x\\App Data\\a.ps1', { first_line: 1, last_line: 9 }),
  read('../sibling/lib.rs', { first_line: 1, last_line: 30 }),
  write('.git/hooks/pre-commit', 60, 3),
  read('both', { first_line: 1, last_line: 5 }),
  write('both/inside.txt', 60, 3),
  read(`deep/${'long-name-'.repeat(40)}.txt`, { first_line: 1, last_line: 5 }),
  search('func \\(s \\*Store\\) Get', { path: 'src', glob: '*.go', '-A': 3, '-B': 1 }),
  search('untouched(Name)?\\s*=', { path: 'untouched.go', '-C': 40 }),
  search('(?<=a)b|(\\w+)\\1', {}),
  search('interface{}', { path: '.' }),
  search('[[:alpha:]]+\\z', { '-i': true, type: 'ts' }),
  search('', { path: 'no/such/folder' }),
  search('x(', { path: 'src' }, true),
  search('a\\nb', { path: 'Makefile', multiline: true }),
  search('TODO', { path: 'src', output_mode: 'files_with_matches' }),
  search('^$', { path: '<home>/.config' }),
  { tool: 'glob', args: { pattern: '**/*.{ts,tsx}', path: 'src' }, result: [400, 9] },
  { tool: 'glob', args: { pattern: '/abs/**/x?.[ch]' }, result: [40, 2] },
  { tool: 'glob', args: { pattern: '' }, result: [14, 1] },
  { tool: 'glob', args: { pattern: '*.md' }, error: true },
  shell('npm test 2>&1', [5_000, 80, 'a'], true),
  shell('npm test 2>&1', [5_020, 81, 'b']),
  shell('npm test 2>&1', [5_020, 81, 'b']),
  { ...shell("echo 'it''s' \"$HOME\" `date` \\ \n second line", [0, 0]), joined: true },
  { ...shell('printf x', [1, 1]), joined: true },
  shell('cat big', [120_000, 1]),
  shell('rm -rf /', [12, 1], true),
  { tool: 'other', args: { arg_bytes: 150_000 }, result: [160, 1] },
  { tool: 'other', args: {}, result: [30, 2], error: true },
  { tool: 'web_fetch', args: { url: 'https://example.org/…' }, result: [3_000, 40] },
];

/** In the neutral form. Four prompts, of which one asks for nothing and one is empty. */
export function oddSession(): object {
  let request = -1;
  const played = calls.map(({ tool, args = {}, result: [bytes, lines, hash = ''] = [100, 3], error, joined }, i) => {
    request += joined ? 0 : 1;
    const call = { i, req: request, tool, args, result_bytes: bytes, result_lines: lines, result_sha: hash, gap_s: 2 };
    return { ...call, ...(error && { error }) };
  });
  const requests = Array.from({ length: request + 2 }, (_, req) => ({
    req,
    gap_s: req === 0 ? null : req === 30 ? 400 : 3,
  }));
  const prompts = [
    { before_call: 0, before_req: 0, bytes: 351, idle_s: null },
    { before_call: 20, before_req: 18, bytes: 0, idle_s: 400 },
    { before_call: 20, before_req: 18, bytes: 42, idle_s: 10 },
    { before_call: 60, before_req: 58, bytes: 70_000, idle_s: 3_000 },
  ];
  return { id: 'odd', format: 'neutral-1', prompts, files, requests, calls: played };
}
