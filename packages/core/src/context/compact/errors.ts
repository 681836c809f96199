/**
 * Tells the errors that commands reported, by command, newest first: failing tests and places word for word, and
 * whether the command has succeeded since. Invariant: within its bytes; when not all fits, what still fails comes first.
 */
import { utf8Length } from '../../text/utf8.ts';
import { namesFailingTest } from '../admit/failing-test.ts';
import { isOutputChanged } from '../repeat/pointer.ts';
import { clipToLine, fitting } from './clip.ts';
import { mendedIn } from './mended.ts';
import { type Story, type ToldCall, textField } from './story.ts';
import { placeIn, troubleLines } from './trouble-lines.ts';

const lineBytes = 200;
const headBytes = 120;
/** What looks through files finds the word "error" without having one. */
const looksOnly = /^\s*(?:cd \S+ *&& *)?(?:grep|rg|ag|cat|sed|head|tail|nl|awk|find|ls|tree|wc|git|echo|less)\b/;

interface Failing {
  readonly command: string;
  readonly lines: readonly string[];
  /** Of the newest run with trouble. */
  readonly at: ToldCall;
  /** The command has succeeded since, and these files were edited between. */
  readonly fixedBy: readonly string[] | undefined;
}

export function tellErrors({ calls }: Story, bytes: number): string {
  const groups = failingCommands(calls);
  const open = groups.filter(({ fixedBy }) => fixedBy === undefined);
  const ordered = [...open, ...groups.filter(({ fixedBy }) => fixedBy !== undefined)];
  let left = bytes;
  const told: string[] = [];
  for (const group of ordered) {
    const head = headOf(group);
    const lines = linesWithin(group.lines, left - utf8Length(head) - 1);
    if (lines.length === 0) continue;
    const text = [head, ...lines].join('\n');
    left -= utf8Length(text) + 1;
    told.push(text);
  }
  return told.join('\n');
}

function headOf({ command, at, fixedBy }: Failing): string {
  const since = fixedBy === undefined ? 'not seen to pass since' : `passes since${editedIn(fixedBy)}`;
  return `$ ${clipToLine(command, headBytes)} (call ${at.number}: ${endingOf(at)}; ${since})`;
}

function editedIn(files: readonly string[]): string {
  return files.length === 0 ? '' : `, after edits of ${clipToLine(files.join(', '), headBytes)}`;
}

/** How a command ended, in a word or two. */
export function endingOf({ exitCode, outcome }: ToldCall): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return outcome === 'ok' ? 'exit 0' : outcome;
}

/** Names of tests and places first: they are what nobody remembers. */
function linesWithin(lines: readonly string[], bytes: number): readonly string[] {
  const facts = lines.filter(isFact);
  const kept = new Set(fitting([...facts, ...lines.filter((line) => !facts.includes(line))], bytes));
  return lines.filter((line) => kept.has(line));
}

function isFact(line: string): boolean {
  return namesFailingTest(line) || placeIn(line) !== undefined;
}

/**
 * Each line is told once, under the newest run that printed it; of older runs only tests and places that no later run
 * shows as mended, no totals.
 */
function failingCommands(calls: readonly ToldCall[]): readonly Failing[] {
  const byCommand = new Map<string, { at: ToldCall; lines: string[] }>();
  const told = new Set<string>();
  const mended = new Map<string, Set<string>>();
  for (const call of [...calls].reverse()) {
    const command = textField(call, 'command');
    if (call.name !== 'shell' || command === undefined) continue;
    const group = byCommand.get(command.trim());
    const passes = mended.get(command.trim()) ?? new Set();
    mended.set(command.trim(), passes);
    const fresh = linesOf(call, command).filter((line) => !told.has(line.trim()) && !passes.has(line.trim()));
    for (const line of mendedIn(diffIn(call.shown))) passes.add(clipToLine(line, lineBytes));
    const lines = group === undefined ? fresh : fresh.filter(isFact);
    if (lines.length === 0) continue;
    for (const line of lines) told.add(line.trim());
    if (group === undefined) byCommand.set(command.trim(), { at: call, lines });
    else group.lines.push(...lines);
  }
  return [...byCommand].map(([command, { at, lines }]) => ({
    command,
    at,
    lines,
    fixedBy: fixedBy(calls, command, at),
  }));
}

function linesOf(call: ToldCall, command: string): readonly string[] {
  const failed = call.outcome !== 'ok';
  if (!failed && looksOnly.test(command)) return [];
  return troubleLines(newIn(call.shown), failed).map((line) => `  ${clipToLine(line, lineBytes)}`);
}

/** Of a run that was shown as a diff against the one before: what it printed itself. The rest is told under that one. */
function newIn(shown: string): string {
  const diff = diffIn(shown);
  if (diff.length === 0) return shown;
  return diff.flatMap((line) => (/^(?:-|@@ )/.test(line) ? [] : [line.replace(/^[+ ]/, '')])).join('\n');
}

/** The lines of a run that was shown as a diff; none: it was shown otherwise. */
function diffIn(shown: string): readonly string[] {
  const lines = shown.split('\n');
  return lines.slice(0, 3).some(isOutputChanged) ? lines : [];
}

function fixedBy(calls: readonly ToldCall[], command: string, failed: ToldCall): readonly string[] | undefined {
  const passed = calls.find(
    (call) => call.seq > failed.seq && call.outcome === 'ok' && textField(call, 'command')?.trim() === command,
  );
  if (passed === undefined) return undefined;
  const between = calls.filter(({ seq }) => seq > failed.seq && seq < passed.seq);
  const paths = between.flatMap(({ files }) => files.flatMap(({ how, path }) => (how === 'written' ? [path] : [])));
  return [...new Set(paths)];
}
