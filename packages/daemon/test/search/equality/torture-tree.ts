/** Trees with all in them that makes searching hard: ignore rules, odd names, odd bytes, lines at the edges of blocks. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from './random.ts';

const words = [
  ...['needle', 'Needle', 'task_struct', 'error', 'Timeout', 'TODO', 'FIXME', 'mutex_lock', 'foo(bar)', 'return 0;'],
  ...[
    'x',
    'ab',
    'a.b',
    '#define',
    'MAX_LEN',
    'kernel panic',
    'Kernel-Panic',
    'skill',
    'mask',
    '42',
    '0x1F',
    '\t',
    '  ',
  ],
  ...['caf\u00e9', 'CAF\u00c9', 'stra\u00dfe', '\u03c3\u03a3\u03c2', '\u212aelvin', 'need\u017f', '\u0131stanbul'],
  ...[
    '\ud83d\ude00',
    'a\u2028b',
    'c\u0085d',
    '\u00a0',
    'e\u0301',
    '\u0661\u0662',
    '\u{1f1e9}',
    '\u1e9e',
    '\u{10d40}x',
    'a\u{16ea0}b',
  ],
];

const oddBytes = [
  Buffer.from('caf\xe9 needle', 'latin1'),
  Buffer.from([0xc0, 0xaf, 0x20, 0x6e, 0x65, 0x65, 0x64]),
  Buffer.from([0x6e, 0x65, 0xe2, 0x82]),
  Buffer.from([0xed, 0xa0, 0x80, 0x78]),
  Buffer.from('\rx\ry'),
];

export interface TreeFile {
  readonly path: string | Buffer;
  readonly bytes: Buffer;
}

/** Writes the tree and gives its files; `root` is a git repository. */
export function plantTree(root: string, random: Random): readonly TreeFile[] {
  mkdirSync(`${root}/.git/info`, { recursive: true });
  const limits = random.chance(0.8) ? longLines : lateNuls;
  const files = random.some(18, 34, () => ({ path: pathOf(random), bytes: contentOf(random, limits) }));
  const odd = [
    { path: 'new\nline.txt', bytes: Buffer.from('needle in a name of two lines\n') },
    { path: 'with space/a b.ts', bytes: contentOf(random, limits) },
    { path: Buffer.from('latin-\xe9.txt', 'latin1'), bytes: Buffer.from('needle of latin\nmask\n') },
    ...ignoreFiles(random),
  ];
  const planted = [...files, ...odd].filter((file) => put(root, file));
  link(root, 'link-to-file.txt', 'with space/a b.ts');
  link(root, 'link-to-folder', 'with space');
  link(root, 'loop', '.');
  if (random.chance(0.3)) execFileSync('git', ['init', '-q', `${root}/nested`], { stdio: 'ignore' });
  return planted;
}

function pathOf(random: Random): string {
  const folders = random.some(0, 3, () => random.pick(['src', 'lib', 'build', '.hidden', 'nested', 'deep', 'a']));
  const name = `${random.pick(['a', 'b', 'main', 'x1', '.dot', 'keep', 'z-z', 'Z'])}${random.below(30)}`;
  return [...folders, `${name}.${random.pick(['ts', 'js', 'c', 'h', 'md', 'log', 'txt', 'py'])}`].join('/');
}

function ignoreFiles(random: Random): TreeFile[] {
  const rules = ['*.log', '/build/', 'deep/', '!keep*', 'lib/*.js', '**/a/', '/src/**/x1*', '!*.md', '# x', 'Z*.txt'];
  const places = ['.gitignore', 'src/.gitignore', '.ignore', 'lib/.rgignore', '.git/info/exclude', 'nested/.gitignore'];
  return random.some(0, 3, () => ({
    path: random.pick(places),
    bytes: Buffer.from(random.some(1, 3, () => random.pick(rules)).join('\n')),
  }));
}

/**
 * Ripgrep's buffer stays as large as a long line has made it, and then more of the next files is dropped where they hold a
 * NUL: what it finds in these depends on which of its threads came first. A tree has one of both.
 */
const longLines = { nuls: [0, 5, 8_192], line: 70_000 };
const lateNuls = { nuls: [5, 65_536, 80_000, 131_072, 200_000], line: 3_000 };

function contentOf(random: Random, limits: typeof longLines): Buffer {
  const kind = random.below(24);
  if (kind === 0) return Buffer.alloc(0);
  const text = linesOf(random);
  if (kind === 1) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]);
  if (kind === 2) return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text.toString('utf8'), 'utf16le')]);
  if (kind === 3) return Buffer.concat([Buffer.from([0xfe, 0xff]), swapped(text.toString('utf8'))]);
  if (kind === 4) return Buffer.from(text.toString('utf8'), 'utf16le');
  if (kind === 5) return withNul(Buffer.concat([text, Buffer.from('\n')]), random.pick(limits.nuls));
  if (kind === 6)
    return Buffer.concat([text, Buffer.from(`${'y'.repeat(random.pick([3_000, limits.line]))} needle`), text]);
  if (kind < 9) return Buffer.concat([text, random.pick(oddBytes), Buffer.from('\n'), text]);
  if (kind < 11) return Buffer.concat(Array.from({ length: random.pick([40, 300]) }, () => text)).subarray(0, 60_000);
  return text;
}

function linesOf(random: Random): Buffer {
  const ending = random.pick(['\n', '\n', '\n', '\r\n', '\r']);
  const lines = random.some(1, 14, () =>
    random.some(0, 6, () => random.pick(words)).join(random.pick(['', ' ', ' ', '_'])),
  );
  return Buffer.from(lines.join(ending) + (random.chance(0.7) ? ending : ''));
}

function swapped(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

function withNul(text: Buffer, at: number): Buffer {
  const long = Buffer.concat(Array.from({ length: Math.ceil((at + 1) / Math.max(1, text.length)) }, () => text));
  return Buffer.concat([long.subarray(0, at), Buffer.alloc(1), text]);
}

/** False: the place is taken by a folder or a file. */
function put(root: string, { path, bytes }: TreeFile): boolean {
  const file = typeof path === 'string' ? `${root}/${path}` : Buffer.concat([Buffer.from(`${root}/`), path]);
  try {
    if (typeof file === 'string') mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { flag: 'wx' });
  } catch {
    return false;
  }
  return true;
}

function link(root: string, name: string, to: string): void {
  symlinkSync(to, `${root}/${name}`);
}
