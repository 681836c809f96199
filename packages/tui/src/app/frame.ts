/**
 * Puts the parts of the screen together, from the transcript above to the status line below. Pure. Invariant: the input,
 * what is asked and the status line are there on every size; the transcript gives way.
 */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Frame, Size } from '../screen/port.ts';
import { columnsOf, graphemes } from '../text/clusters.ts';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit } from '../text/wrap.ts';

export interface FrameParts {
  /** Asked for so many rows. */
  transcript(columns: number, rows: number): readonly Line[];
  /** In place of the transcript; undefined: there is none. */
  readonly overlay: ((columns: number, rows: number) => readonly Line[]) | undefined;
  readonly around: (columns: number) => readonly Line[];
  readonly ask: (columns: number, rows: number) => readonly Line[];
  readonly completions: (columns: number, rows: number) => readonly Line[];
  readonly input: { readonly text: string; readonly cursor: number; readonly hint: string };
  readonly status: (columns: number) => Line;
}

const mostInputRows = 10;
const mostCompletions = 8;
/** From so many rows on one is spent on being easier to read. */
const roomy = 12;

export function composeFrame(parts: FrameParts, { columns, rows }: Size): Frame {
  const input = inputRows(parts.input, columns, Math.max(1, Math.min(mostInputRows, Math.floor(rows / 3))));
  const rule: Line = [span('─'.repeat(columns), theme.dim)];
  let left = Math.max(0, rows - 2 - input.lines.length);
  const take = (lines: readonly Line[], most: number) => {
    const kept = lines.slice(0, Math.max(0, Math.min(most, left)));
    left -= kept.length;
    return kept;
  };
  const ask = take(parts.ask(columns, Math.max(4, Math.floor(left * 0.6))), left);
  const completions = take(parts.completions(columns, Math.min(mostCompletions, left)), mostCompletions);
  const around = parts.overlay === undefined ? take(spaced(parts.around(columns), left), Math.floor(left / 3)) : [];
  // A list stands at the bottom, where the eyes are, and what it does not need still shows the conversation.
  const over = spaced(parts.overlay?.(columns, left < roomy ? left : left - 1) ?? [], left);
  const room = Math.max(0, left - over.length);
  const body = room === 0 ? [] : parts.transcript(columns, room);
  const gap = Array.from({ length: room - body.length }, (): Line => []);
  const above = [...body, ...gap, ...over];
  const before = [...above.slice(0, left), ...around, ...ask, ...completions, rule];
  const lines = [...before, ...input.lines, parts.status(columns)].slice(0, rows);
  return { lines, cursor: { column: input.column, row: Math.min(rows - 1, before.length + input.row) } };
}

/** An empty row before them, where there is room. */
function spaced(lines: readonly Line[], left: number): readonly Line[] {
  return lines.length === 0 || left < roomy ? lines : [[], ...lines];
}

interface InputRows {
  readonly lines: readonly Line[];
  readonly column: number;
  readonly row: number;
}

const prompt = '> ';

/** Rows of the text being written, the one with the cursor among them. */
function inputRows({ text, cursor, hint }: FrameParts['input'], columns: number, most: number): InputRows {
  const width = Math.max(4, columns - prompt.length - 1);
  if (text === '')
    return { lines: [fit([span(prompt, theme.user), span(hint, theme.dim)], columns)], column: prompt.length, row: 0 };
  const near = around(text, cursor, { most, width });
  const rows: string[] = [''];
  let place = { column: 0, row: 0 };
  let at = near.from;
  let used = 0;
  for (const [index, line] of text.slice(near.from, near.to).split('\n').entries()) {
    if (index > 0) {
      rows.push('');
      used = 0;
      at += 1;
    }
    for (const segment of graphemes(line)) {
      // What was pasted may hold what steers a terminal.
      const shown = segment === '\t' ? '    ' : sanitiseLine(segment);
      const wide = columnsOf(shown);
      if (used + wide > width) {
        rows.push('');
        used = 0;
      }
      if (at === cursor) place = { column: used, row: rows.length - 1 };
      rows[rows.length - 1] += shown;
      used += wide;
      at += segment.length;
    }
    if (at === cursor) place = { column: used, row: rows.length - 1 };
  }
  const from = Math.max(0, Math.min(place.row - Math.floor(most / 2), rows.length - most));
  const shown = rows.slice(from, from + most);
  const lines = shown.map(
    (row, index): Line => [
      span(near.from + from + index === 0 ? prompt : ' '.repeat(prompt.length), theme.user),
      span(row),
    ],
  );
  return { lines, column: prompt.length + place.column, row: place.row - from };
}

/** The part of the text that can be seen, and a little more. What is pasted may be megabytes. */
function around(text: string, cursor: number, { most, width }: { readonly most: number; readonly width: number }) {
  const startOf = (at: number) => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);
  const endOf = (at: number) => (text.indexOf('\n', at) + text.length + 1) % (text.length + 1);
  let from = startOf(cursor);
  let to = endOf(cursor);
  for (let line = 0; line < most; line++) {
    from = startOf(from - 1);
    to = endOf(Math.min(text.length, to + 1));
  }
  const aside = 4 * width * (most + 1);
  // In steps, so that the rows do not move with every key.
  if (cursor - from > 2 * aside) from += Math.floor((cursor - from - aside) / aside) * aside;
  return { from, to: Math.min(to, cursor + aside) };
}
