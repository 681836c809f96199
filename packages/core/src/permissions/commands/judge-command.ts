/**
 * Decides whether a command may run unasked. Every command of a chain must be one that only looks, or one that the user
 * allowed; only the last line here allows (S-40, S-46).
 */
import { looksAt, type Sight } from './looking/looks-at.ts';
import { offerRule } from './offer-rules.ts';
import { parseCommand, type SimpleCommand } from './parse-command.ts';
import { type CommandRule, fitsRule } from './rules.ts';

export type Judgement =
  /** `always`: what would allow it from now on; absent: nothing would. */
  | { readonly kind: 'ask'; readonly always?: readonly CommandRule[] }
  /** Nothing of it changes anything, if `reach` is what it should be. */
  | { readonly kind: 'look'; readonly reach: Reach }
  | { readonly kind: 'run'; readonly reach: Reach };

/** What must be looked at before. */
export interface Reach {
  /** All of them must lie in the repository; they are relative to its root. */
  readonly paths: readonly string[];
  /** Those of them that must be no folders. */
  readonly files: readonly string[];
  /** The repository may name no program that git would run. */
  readonly git: boolean;
}

export function judgeCommand(text: string, allowed: readonly CommandRule[]): Judgement {
  const commands = parseCommand(text);
  if (commands === undefined) return { kind: 'ask' };
  const looks = unlessMixed(commands, looksInto(commands));
  const open = commands.filter((command, n) => looks[n] === undefined && !isAllowed(command, allowed));
  if (open.length > 0) return askFor(open);
  const reach = {
    paths: looks.flatMap((found) => found?.paths ?? []),
    files: looks.flatMap((found) => (found?.onlyFiles ? found.paths : [])),
    git: commands.some((command, n) => isGit(command) && looks[n]),
  };
  return { kind: looks.includes(undefined) ? 'run' : 'look', reach };
}

type Looks = readonly (Sight | undefined)[];

/** Beside commands that do more, git is not kept from running what the repository names: their own git needs that. */
function unlessMixed(commands: readonly SimpleCommand[], looks: Looks): Looks {
  if (!looks.includes(undefined)) return looks;
  return looks.map((found, n) => (isGit(commands[n]) ? undefined : found));
}

function isGit(command: SimpleCommand | undefined): boolean {
  return command?.words[0] === 'git';
}

function isAllowed(command: SimpleCommand, allowed: readonly CommandRule[]): boolean {
  return allowed.some((rule) => fitsRule(command, rule));
}

/** What each of them may read, from wherever it may run; undefined: it may do more than look. */
function looksInto(commands: readonly SimpleCommand[]): Looks {
  const isCertain = movesForAll(commands);
  let folders = [''];
  return commands.map((command) => {
    const into = folderOf(command);
    // Another folder may be another repository.
    if (isGit(command) && folders.some((folder) => folder !== '')) return undefined;
    if (into === undefined) return fromAll(folders, looksAt(command));
    const moved = folders.map((folder) => under(folder, into));
    folders = isCertain ? moved : [...folders, ...moved];
    return folders.length > mostFolders ? undefined : { paths: moved, onlyFiles: false };
  });
}

const mostFolders = 16;

function fromAll(folders: readonly string[], sight: Sight | undefined): Sight | undefined {
  return sight && { ...sight, paths: sight.paths.flatMap((path) => folders.map((folder) => under(folder, path))) };
}

/** Whether nothing behind a `cd` runs without it: where it fails, or in a pipe, the others stay where they were. */
function movesForAll(commands: readonly SimpleCommand[]): boolean {
  return commands.every(
    (command, n) =>
      (n === 0 || command.joinedBy === '&&' || command.joinedBy === '|') &&
      (folderOf(command) === undefined || (command.joinedBy !== '|' && commands[n + 1]?.joinedBy !== '|')),
  );
}

/** By its name from where it runs: bash takes `..` by the name, and the system by where a link leads. */
function folderOf({ words: [program, folder, ...others], globs }: SimpleCommand): string | undefined {
  const isPlain = program === 'cd' && folder !== undefined && others.length === 0 && !globs;
  return isPlain && /^[^-]/.test(folder) && !folder.split('/').includes('..') ? folder : undefined;
}

function under(folder: string, path: string): string {
  return path.startsWith('/') || folder === '' ? path : `${folder}/${path}`;
}

function askFor(open: readonly SimpleCommand[]): Judgement {
  const offers = open.map(offerRule);
  const always = offers.filter((rule) => rule !== undefined);
  return always.length < offers.length || always.length > 3 ? { kind: 'ask' } : { kind: 'ask', always: unique(always) };
}

function unique(rules: readonly CommandRule[]): readonly CommandRule[] {
  const seen = new Map(rules.map((rule) => [JSON.stringify([rule.words, rule.more]), rule]));
  return [...seen.values()];
}
