/** Queries of which many have an answer: pieces of the tree, regular expressions, and both of them bent a little. */
import type { SearchQuery } from '@zerd/daemon/base/ports';
import type { Random } from './random.ts';
import type { TreeFile } from './torture-tree.ts';

export function queryOf(random: Random, files: readonly TreeFile[]): SearchQuery {
  const isLiteral = random.chance(0.35);
  const pattern = isLiteral ? bent(pieceOf(random, files), random) : regexOf(random, files);
  return {
    pattern: pattern === '' ? 'needle' : pattern,
    ...(isLiteral ? { literal: true } : {}),
    ...(random.chance(0.3) ? { ignoreCase: true } : random.chance(0.15) ? { smartCase: true } : {}),
    ...(random.chance(0.15) ? { wholeWord: true } : {}),
    ...(random.chance(0.1) ? { glob: random.pick(['*.ts', '!*.md', 'src/**', '*.{c,h}', 'lib/*.js', '**/a*']) } : {}),
    ...(random.chance(0.06) ? { type: random.pick(['ts', 'c', 'py', 'md']) } : {}),
    ...(random.chance(0.1) ? { path: random.pick(['src', 'lib', 'nested', 'with space', '.', 'build']) } : {}),
    ...(random.chance(0.15) ? { context: 1 + random.below(3) } : {}),
    ...(random.chance(0.05) ? { multiline: true } : {}),
    ...(random.chance(0.1) ? { maxHits: 1 + random.below(20) } : {}),
  };
}

/** One line, or less, of what stands somewhere. */
function pieceOf(random: Random, files: readonly TreeFile[]): string {
  const text = random
    .pick(files)
    .bytes.subarray(0, 4_096)
    .toString('utf8')
    .replaceAll(/[\0\ufffd]/g, '');
  const line = [...random.pick(text.split('\n'))];
  const from = random.below(Math.max(1, line.length));
  return line.slice(from, from + 1 + random.below(random.pick([3, 12, 40]))).join('');
}

function bent(text: string, random: Random): string {
  const chars = [...text];
  const at = random.below(Math.max(1, chars.length));
  const char = chars[at] ?? 'q';
  if (random.chance(0.2)) chars[at] = char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase();
  else if (random.chance(0.1)) chars[at] = 'q';
  return chars.join('');
}

function regexOf(random: Random, files: readonly TreeFile[]): string {
  return random.some(1, 4, () => partOf(random, files, 0)).join('');
}

function partOf(random: Random, files: readonly TreeFile[], depth: number): string {
  const again = () => partOf(random, files, depth + 1);
  switch (random.below(depth > 2 ? 6 : 12)) {
    case 0:
    case 1:
    case 2:
      return escaped(bent(pieceOf(random, files), random));
    case 3:
      return random.pick([
        '.',
        '\\w',
        '\\d',
        '\\s',
        '\\S',
        '\\W',
        '\\D',
        '[^a-z]',
        '[a-f]',
        '[^\\W_]',
        '[\\w-]',
        '\\pL',
        '[[:alpha:]]',
      ]);
    case 4:
      return random.pick([
        '^',
        '$',
        '\\b',
        '\\B',
        '.*',
        '.+',
        '\\w+',
        '\\s*',
        '\\d{2,}',
        '[Nn]',
        '\\x41',
        '\\u{e9}',
        '\\t',
        ' ?',
      ]);
    case 5:
      return escaped(random.pick(['needle', 'task', 'error', 'skill', 'mask', 'k', 's', 'panic', '\u00e9', '_', 'ab']));
    case 6:
    case 7:
      return `${atom(random, files, depth)}${random.pick(['*', '+', '?', '{2}', '{1,3}', '{0,2}', '*?', '+?', '??'])}`;
    case 8:
      return `(${again()}|${again()})`;
    case 9:
      return `(?:${again()}|${again()}|${again()})`;
    case 10:
      return `${again()}${again()}`;
    default:
      return random.pick([
        `(?i)${again()}`,
        `(?i:${again()})`,
        `(?P<n${random.below(99)}>${again()})`,
        `${again()}|`,
        '(?-i)x',
      ]);
  }
}

function atom(random: Random, files: readonly TreeFile[], depth: number): string {
  return random.pick([
    'e',
    '.',
    '\\w',
    '[a-z]',
    '(?:ab)',
    `(${partOf(random, files, depth + 1)})`,
    '\u03c3',
    'k',
    '\\d',
  ]);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&').replaceAll('\n', '');
}
