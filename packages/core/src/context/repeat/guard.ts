/**
 * Decides whether the arguments of a call would put into a file what only stands for text: a pointer, what a trim left of
 * a result, the mark in a line that was cut (P020). A line that merely looks like one may be written: only lines that the
 * transcript shows are refused, unless there is nothing but pointers.
 */
import type { SessionState } from '../../session/state.ts';
import { splitLines } from '../../text/lines.ts';
import { clearedInput, clearedResult } from '../cleared.ts';
import { visibleResults } from '../visible.ts';
import { isOurLine } from './pointer.ts';

/** What the model is told; undefined: there is nothing to refuse. `state` is asked only where it matters. */
export function refusePointer(name: string, input: object, state: () => SessionState): string | undefined {
  const content = contentOf(name, input);
  const found = content === undefined ? undefined : pointerIn(content, state);
  if (found === undefined) return undefined;
  const what = found.length > mostQuoted ? `${found.slice(0, mostQuoted)}...` : found;
  return `Nothing was written: ${JSON.stringify(what)} stands for text that is not shown, it is not the text itself. Write the text that it stands for; recall or read shows it.`;
}

/** Characters. */
const mostQuoted = 300;

function contentOf(name: string, input: object): string | undefined {
  const field = name === 'write' ? 'content' : name === 'edit' ? 'new' : undefined;
  const value = field === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' && value.includes('[') ? value : undefined;
}

function pointerIn(content: string, state: () => SessionState): string | undefined {
  const lines = splitLines(content)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ours = lines.filter(isOurLine);
  if (ours.length > 0 && ours.length === lines.length) return ours[0];
  const suspects = lines.filter((line) => isOurLine(line) || cutMark.test(line));
  if (suspects.length === 0) return undefined;
  const shown = [...textsShown(state())];
  return suspects.find((line) => shown.some((text) => showsLine(text, line)));
}

/** As it stands in a line that was too long, or between the ends of a quotation. */
const cutMark = /\[[\d,]+ (?:encoded )?bytes left out\]/;

/** What of the transcript may hold a line of ours: results as they came and as a trim left them, arguments, the summary. */
function* textsShown(state: SessionState): Iterable<string> {
  const { trims, compactions } = state;
  if (compactions.newest !== undefined) yield compactions.newest.summary;
  for (const { callId, name, inputJson, shown, archiveId, result } of visibleResults(state).values()) {
    yield shown;
    if (result === 'stub' && archiveId !== undefined) yield clearedResult(shown, archiveId);
    const input = trims.inputs.get(callId);
    if (input !== undefined) yield* stringsIn(clearedInput(name, inputJson, input));
  }
}

function stringsIn(json: string): readonly string[] {
  return Object.values(JSON.parse(json) as object).filter((value) => typeof value === 'string');
}

function showsLine(shown: string, line: string): boolean {
  return shown.includes(line) && shown.split('\n').some((other) => other.trim() === line);
}
