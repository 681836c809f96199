/**
 * What of git only looks. Options that run programs, write files or lead to another repository are not listed
 * (`-c`, `-C`, `--output`, `--ext-diff`, `--textconv`, `--no-index`, `-O`; S-43). What the repository's own settings name
 * is kept from running where the command is run. Source: git's manual, 2.47, 2026-11.
 */
import { type Options, readArguments } from './arguments.ts';

const words = (text: string) => text.split(' ');
const diffLong = words(
  '--stat --stat= --numstat --shortstat --summary --name-only --name-status --patch --no-patch --unified --unified= --word-diff --word-diff= --color --color= --no-color --cached --staged --ignore-all-space --ignore-space-change --ignore-blank-lines --find-renames --find-renames= --find-copies --diff-filter= --relative --raw --minimal --histogram --patience --exit-code --quiet --check --merge-base --compact-summary --dirstat --no-ext-diff --no-textconv --no-renames',
);
const logLong = [
  ...diffLong,
  ...words(
    '--oneline --graph --all --branches --tags --remotes --decorate --decorate= --no-decorate --pretty --pretty= --format= --abbrev-commit --abbrev --abbrev= --no-abbrev-commit --date: --since: --after: --until: --before: --author: --committer: --grep: --invert-grep --max-count: --skip: --reverse --follow --first-parent --merges --no-merges --topo-order --date-order --full-history --ancestry-path --left-right --cherry-pick --pickaxe-all --pickaxe-regex --no-walk --source',
  ),
];
const diff: Options = { flags: 'bpwsRuzmcD', values: 'SG', attached: 'UMC', long: diffLong };
const log: Options = { flags: 'bpwsiEFPRuzmcg', values: 'SGnL', attached: 'UMC', long: logLong, numbers: true };

interface Subcommand extends Options {
  /** Only without operands: with one, it changes something. */
  readonly alone?: boolean;
  /** The first operand must be this. */
  readonly first?: string;
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  status: {
    flags: 'sbuvz',
    long: words(
      '--short --branch --porcelain --porcelain= --long --verbose --untracked-files --untracked-files= --ignored --show-stash --no-renames --ahead-behind',
    ),
  },
  log,
  show: log,
  diff,
  'diff-tree': { ...diff, flags: 'bpwsRuzmcrt' },
  shortlog: { flags: 'nse', long: words('--numbered --summary --email --since: --until: --all --no-merges') },
  'rev-list': { ...log, long: [...logLong, '--count', '--objects'] },
  blame: {
    flags: 'bclfnsewtpM',
    values: 'L',
    long: words('--line-porcelain --porcelain --show-name --show-number --show-email --since: --date='),
  },
  'ls-files': {
    flags: 'cdmoiskutz',
    values: 'x',
    long: words(
      '--cached --deleted --modified --others --ignored --stage --exclude-standard --exclude= --full-name --error-unmatch --unmerged --killed',
    ),
  },
  'ls-tree': { flags: 'drtlz', long: words('--name-only --name-status --full-name --full-tree --long --abbrev=') },
  'cat-file': { flags: 'tsep' },
  'rev-parse': {
    long: words(
      '--show-toplevel --git-dir --abbrev-ref --short --short= --verify --quiet --is-inside-work-tree --show-prefix --symbolic-full-name --absolute-git-dir --git-common-dir',
    ),
  },
  'merge-base': { long: words('--all --is-ancestor --fork-point --octopus') },
  'name-rev': { long: words('--name-only --tags --all') },
  describe: { long: words('--tags --all --always --dirty --long --abbrev= --match= --exact-match --contains') },
  grep: {
    flags: 'iwvnlLchHEFGPoqWpaI',
    values: 'ABCme',
    long: words(
      '--ignore-case --line-number --count --files-with-matches --name-only --word-regexp --fixed-strings --extended-regexp --perl-regexp --cached --untracked --show-function --context= --after-context= --before-context= --max-depth= --and --or --not --all-match --heading --break',
    ),
  },
  branch: {
    flags: 'avrl',
    alone: true,
    long: words(
      '--all --list --show-current --verbose --remotes --contains --merged --no-merged --sort= --format= --no-color --color',
    ),
  },
  tag: { flags: 'l', alone: true, long: words('--list --sort= --format= --merged --no-merged --contains') },
  remote: { flags: 'v', alone: true, long: ['--verbose'] },
  stash: { first: 'list', flags: 'ps', long: words('--stat --patch --oneline --name-only') },
  worktree: { first: 'list', flags: 'v', long: ['--porcelain', '--verbose'] },
  reflog: { ...log, alone: true },
};

/**
 * What may be paths, undefined: it may do more. Where there is no repository of git, `git diff` compares files as they
 * are, through links of folders.
 */
export function looksByGit(given: readonly string[]): readonly string[] | undefined {
  const [name = '', ...rest] = given[0] === '--no-pager' ? given.slice(1) : given;
  const known = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  const read = known && readArguments(known, rest);
  if (known === undefined || read === undefined || read.operands.some(leadsOut)) return undefined;
  const { operands } = read;
  if (known.first !== undefined) return operands.length === 1 && operands[0] === known.first ? [] : undefined;
  return known.alone && operands.length > 0 ? undefined : operands;
}

/** Given such paths, `git diff` compares files of any place. */
function leadsOut(operand: string): boolean {
  return operand.startsWith('/') || operand.split('/').includes('..');
}
