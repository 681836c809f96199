/**
 * Decides whether the arguments of a call would put a pointer into a file where the text it points to is meant (P020).
 * A line that merely looks like one may be written: only lines that this session's results showed are refused, unless
 * there is nothing else.
 */
import { splitLines } from '../../text/lines.ts';
import type { VisibleResults } from '../visible.ts';
import { isOurLine } from './pointer.ts';

/** What the model is told; undefined: there is nothing to refuse. `results` is asked only where it matters. */
export function refusePointer(name: string, input: object, results: () => VisibleResults): string | undefined {
  const content = contentOf(name, input);
  const found = content === undefined ? undefined : pointerIn(content, results);
  if (found === undefined) return undefined;
  return `Nothing was written: ${JSON.stringify(found)} is a note that stands for text above, not the text itself. Write the text that it stands for; recall or read shows it.`;
}

function contentOf(name: string, input: object): string | undefined {
  const field = name === 'write' ? 'content' : name === 'edit' ? 'new' : undefined;
  const value = field === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' && value.includes('[') ? value : undefined;
}

function pointerIn(content: string, results: () => VisibleResults): string | undefined {
  const lines = splitLines(content)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ours = lines.filter(isOurLine);
  if (ours.length === 0 || ours.length === lines.length) return ours[0];
  return ours.find((line) => [...results().values()].some(({ shown }) => showsLine(shown, line)));
}

function showsLine(shown: string, line: string): boolean {
  return shown.includes(line) && shown.split('\n').some((other) => other.trim() === line);
}
