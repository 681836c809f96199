/**
 * Programs that only look, with the options that are known to leave it at that. Left out on purpose: what follows links
 * out of the repository (`grep -R`, `find -L`), writes (`sort -o`, `uniq IN OUT`, `tree -o`), waits (`tail -f`), reads
 * names of files from files, and what runs programs. Source: the manuals of GNU coreutils 9, grep 3, findutils 4, sed 4
 * and ripgrep 15, 2026-11.
 */
import type { Options } from './arguments.ts';
import { printsFormat, printsNumbers } from './prints.ts';

export interface Program extends Options {
  /** So many operands are texts, not paths. */
  readonly texts?: number;
  /** With one of these options there is no such operand. */
  readonly textOptions?: readonly string[];
  readonly mostPaths?: number;
  /** Given a folder, it follows the links in it. */
  readonly onlyFiles?: boolean;
  /** Instead of all that: the paths; undefined: it may do more than look. */
  readonly fits?: (given: readonly string[]) => readonly string[] | undefined;
}

const nothing = (): readonly string[] => [];
const alone = (given: readonly string[]) => (given.length === 0 ? [] : undefined);
const grepLong =
  '--ignore-case --line-number --count --files-with-matches --files-without-match --word-regexp --line-regexp --invert-match --only-matching --no-messages --quiet --recursive --extended-regexp --fixed-strings --perl-regexp --with-filename --no-filename --color --color= --colour --colour= --include: --exclude: --exclude-dir: --max-count: --context: --after-context: --before-context: --regexp: --text';
const ripgrepLong =
  '--ignore-case --smart-case --case-sensitive --line-number --no-line-number --count --count-matches --files --files-with-matches --files-without-match --word-regexp --line-regexp --invert-match --only-matching --fixed-strings --multiline --hidden --no-ignore --no-ignore-vcs --no-heading --heading --column --json --stats --trim --text --color: --colors: --glob: --iglob: --type: --type-not: --type-list --max-count: --max-depth: --max-filesize: --context: --after-context: --before-context: --regexp: --sort: --no-messages --quiet --with-filename --no-filename --vimgrep';

export const programs: Readonly<Record<string, Program>> = {
  pwd: { fits: alone },
  true: { fits: nothing },
  false: { fits: nothing },
  echo: { fits: nothing },
  printf: { fits: printsFormat },
  whoami: { fits: alone },
  nproc: { fits: alone },
  uname: { flags: 'amnoprsv', mostPaths: 0 },
  which: { flags: 'a', texts: 100 },
  basename: { flags: 'a', values: 's', texts: 100 },
  dirname: { texts: 100 },
  seq: { fits: printsNumbers },
  ls: {
    flags: 'AaBCcdFfGghiklmNnopQqRrSstUuvXx1',
    long: '--all --almost-all --color --color= --human-readable --recursive --reverse --size --sort= --time= --group-directories-first --full-time --directory'.split(
      ' ',
    ),
  },
  cat: { flags: 'AbEenSsTtuv', long: ['--number', '--show-all', '--number-nonblank', '--squeeze-blank'] },
  tac: {},
  nl: { values: 'bvwsn' },
  rev: {},
  head: { flags: 'qv', values: 'nc', numbers: true, long: ['--lines:', '--bytes:', '--quiet', '--verbose'] },
  tail: { flags: 'qv', values: 'nc', numbers: true, long: ['--lines:', '--bytes:', '--quiet', '--verbose'] },
  wc: { flags: 'lwcmL', long: ['--lines', '--words', '--bytes', '--chars', '--max-line-length'] },
  cut: { flags: 's', values: 'bcdf', long: ['--delimiter:', '--fields:', '--characters:', '--complement'] },
  tr: { flags: 'cCdst', texts: 2, mostPaths: 0 },
  sort: { flags: 'bdfghinrsuVMRcz', values: 'kt', long: ['--reverse', '--unique', '--numeric-sort', '--key:'] },
  uniq: { flags: 'cdiuz', values: 'fsw', long: ['--count', '--repeated', '--unique'], mostPaths: 1 },
  diff: {
    onlyFiles: true,
    flags: 'abBdiqsuwyNE',
    values: 'U',
    long: ['--unified', '--unified=', '--brief', '--color', '--color=', '--side-by-side', '--ignore-all-space'],
  },
  cmp: { flags: 'bls' },
  file: { flags: 'bi', long: ['--brief', '--mime', '--mime-type'] },
  stat: { values: 'c', long: ['--format:', '--printf:'] },
  du: { flags: 'abchkms', values: 'd', long: ['--max-depth:', '--summarize', '--human-readable', '--total', '--all'] },
  realpath: {},
  readlink: { flags: 'fen' },
  md5sum: {},
  sha1sum: {},
  sha256sum: {},
  grep: {
    flags: 'EFGPivwxclLnoqrsHhabzT',
    values: 'ABCme',
    numbers: true,
    long: grepLong.split(' '),
    texts: 1,
    textOptions: ['e', 'regexp'],
  },
  rg: {
    flags: 'iSsnNclwxvoFUuaqHIp.',
    values: 'ABCmegtTd',
    long: ripgrepLong.split(' '),
    texts: 1,
    textOptions: ['e', 'regexp', 'files', 'type-list'],
  },
  sed: { fits: printsOnly },
  find: { fits: findsOnly },
};

const address = String.raw`(?:\d+|\$|/[^/\\\n]*/)`;
const printing = new RegExp(`^(?:${address}(?:,(?:${address}|\\+\\d+))?)?[pq=]$`);

/** `sed -n 1,20p FILE`: every part of the script prints lines, or ends it. */
function printsOnly([option, script = '', ...paths]: readonly string[]): readonly string[] | undefined {
  if (option !== '-n' || paths.some((path) => path.startsWith('-'))) return undefined;
  return script.split(';').every((part) => printing.test(part.trim())) ? paths : undefined;
}

const alones = new Set([
  '-empty',
  '-print',
  '-print0',
  '-prune',
  '-o',
  '-or',
  '-a',
  '-and',
  '-not',
  '!',
  '(',
  ')',
  ',',
  '-xdev',
  '-mount',
  '-depth',
  '-readable',
  '-executable',
  '-writable',
]);
const withValue = new Set(
  '-name -iname -path -ipath -wholename -regex -iregex -type -size -maxdepth -mindepth -mtime -mmin -atime -ctime -perm -user -group -links -regextype'.split(
    ' ',
  ),
);

/** Paths first, then tests, of which each is known. `-newer` reads a file of its own. */
function findsOnly(given: readonly string[]): readonly string[] | undefined {
  const begin = given.findIndex((word) => /^[-!(]/.test(word));
  const paths = begin < 0 ? given : given.slice(0, begin);
  for (let n = paths.length; n < given.length; n += 1) {
    const word = given[n] ?? '';
    if (withValue.has(word)) n += 1;
    else if (!alones.has(word)) return undefined;
  }
  return paths;
}
