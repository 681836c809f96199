/** Tells which lines of a range a text shows word for word: those it begins with and those it ends with. */
import type { LineRange } from './ranges.ts';

/** `rows` are the lines from `first` on as the text would show them; it may begin with a head line. */
export function linesShown(
  shown: string,
  rows: readonly string[],
  first: number,
  head: string | undefined,
): LineRange[] {
  const text = head === undefined ? shown : shown.slice(shown.indexOf('\n') + 1);
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  const most = Math.min(lines.length, rows.length);
  let begin = 0;
  while (begin < most && lines[begin] === rows[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && lines[lines.length - 1 - end] === rows[rows.length - 1 - end]) end += 1;
  const last = first + rows.length - 1;
  return [
    { firstLine: first, lastLine: first + begin - 1 },
    { firstLine: last - end + 1, lastLine: last },
  ].filter(({ firstLine, lastLine }) => firstLine <= lastLine);
}
