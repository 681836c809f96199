/**
 * Decides what a terminal would have left on the screen: the last frame of everything that redraws itself, without
 * control sequences. Invariant: what is dropped was overwritten or erased by the program itself, and each row knows
 * the line of the raw text that it began on.
 */
import { utf8Length } from '../../text/utf8.ts';
import { maskLine, showsProgress } from './like-lines.ts';
import type { Row } from './row.ts';

interface Cell {
  text: string;
  readonly line: number;
  redrawn: boolean;
  /** Different texts that a carriage return overwrote, by their masked form. */
  readonly under: Map<string, string>;
}

interface Screen {
  readonly cells: Cell[];
  row: number;
  column: number;
  line: number;
  /** The next text written at column 0 takes the place of the whole row. */
  returned: boolean;
  /** Characters that in-line overwriting may still copy: output made to be slow is appended instead. */
  budget: number;
}

const sequence =
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?/g;

const token = new RegExp(
  String.raw`\n|\r+|\x08+|${sequence.source}|[\x00-\x07\x0b-\x1f\x7f-\x9f]|[^\x00-\x08\x0a-\x1f\x7f-\x9f]+`,
  'g',
);

/** From this many different overwritten texts on, carriage returns were line ends and no frames. */
const linesNotFrames = 4;

/** The right edge of the widest terminal: a cursor moved beyond it stays there. */
const edge = 1_000;

/** Rows up to which a cleared screen begins a new page; from then on the last page is overwritten. */
const mostRows = 20_000;

/** `firstLine` is the number of the text's first line in the whole body. */
export function settleScreen(text: string, firstLine: number): Row[] {
  const screen: Screen = { cells: [], row: -1, column: 0, line: firstLine - 1, returned: false, budget: 2e7 };
  feedLine(screen);
  for (const match of text.matchAll(token)) feed(screen, match[0], match[1] ?? '', match[2] ?? '');
  return screen.cells.flatMap(settleCell);
}

/** Only control sequences go; nothing is overwritten or joined. */
export function stripSequences(text: string): string {
  return text.replace(sequence, '');
}

function feed(screen: Screen, part: string, parameters: string, final: string): void {
  if (part === '\n') feedLine(screen);
  else if (part.startsWith('\r')) carriageReturn(screen);
  else if (part.startsWith('\x08')) screen.column = Math.max(0, screen.column - part.length);
  else if (final !== '') control(screen, final, parameters);
  else if (/^[^\x00-\x08\x0a-\x1f\x7f-\x9f]/.test(part)) write(screen, part);
}

function feedLine(screen: Screen): void {
  screen.line += 1;
  screen.row += 1;
  screen.column = 0;
  screen.returned = false;
  if (screen.row === screen.cells.length) screen.cells.push(emptyCell(screen.line));
}

function emptyCell(line: number): Cell {
  return { text: '', line, redrawn: false, under: new Map() };
}

function carriageReturn(screen: Screen): void {
  screen.column = 0;
  screen.returned = true;
}

function write(screen: Screen, part: string): void {
  const cell = cellOf(screen);
  if (screen.returned && screen.column === 0 && cell.text !== '') replace(cell, part);
  else put(screen, cell, part);
  screen.column += part.length;
  screen.returned = false;
}

function cellOf(screen: Screen): Cell {
  const cell = screen.cells[screen.row];
  if (cell === undefined) throw new RangeError('the cursor left the screen');
  return cell;
}

function replace(cell: Cell, part: string): void {
  const old = cell.text.trimEnd();
  if (old !== '' && part.trim() !== '' && !showsProgress(old)) cell.under.set(maskLine(old), old);
  cell.text = part;
  cell.redrawn = true;
}

function put(screen: Screen, cell: Cell, part: string): void {
  const length = cell.text.length;
  if (screen.column > length) cell.text += ' '.repeat(screen.column - length);
  if (screen.column >= length || screen.budget < 0) {
    cell.text += part;
    return;
  }
  screen.budget -= length;
  cell.text = cell.text.slice(0, screen.column) + part + cell.text.slice(screen.column + part.length);
  cell.redrawn = true;
}

function control(screen: Screen, final: string, parameters: string): void {
  if (final === 'm') return;
  const cell = cellOf(screen);
  const count = Math.min(1_000, Number.parseInt(parameters, 10) || 0);
  cell.redrawn = true;
  if (final === 'A' || final === 'F') moveRow(screen, -Math.max(1, count), final === 'F');
  else if (final === 'B' || final === 'E') moveRow(screen, Math.max(1, count), final === 'E');
  else if (final === 'C') moveRight(screen, cell, Math.max(1, count));
  else if (final === 'D') screen.column = Math.max(0, screen.column - Math.max(1, count));
  else if (final === 'G') screen.column = Math.max(1, count) - 1;
  else if (final === 'K') eraseLine(screen, cell, count);
  else if (final === 'J' && count === 0) eraseBelow(screen, cell);
  else if (final === 'J' || final === 'H' || final === 'f') beginPage(screen);
}

function moveRight(screen: Screen, cell: Cell, columns: number): void {
  screen.column = Math.min(Math.max(edge, cell.text.length), screen.column + columns);
}

function moveRow(screen: Screen, rows: number, toStart: boolean): void {
  screen.row = Math.min(screen.cells.length - 1, Math.max(0, screen.row + rows));
  if (toStart) screen.column = 0;
}

function eraseLine(screen: Screen, cell: Cell, how: number): void {
  if (how === 2) cell.text = '';
  else if (how === 0) cell.text = cell.text.slice(0, screen.column);
}

function eraseBelow(screen: Screen, cell: Cell): void {
  eraseLine(screen, cell, 0);
  screen.cells.length = screen.row + 1;
}

/** A cleared screen erases nothing that scrolled by: the next page goes below. */
function beginPage(screen: Screen): void {
  screen.row = screen.cells.length - 1;
  screen.column = 0;
  const cell = cellOf(screen);
  if (screen.cells.length >= mostRows) cell.text = '';
  if (cell.text === '') return;
  screen.cells.push(emptyCell(screen.line));
  screen.row += 1;
}

function settleCell(cell: Cell): Row[] {
  const own = rowOf(cell, cell.redrawn ? cell.text.trimEnd() : cell.text);
  if (cell.under.size < linesNotFrames) return [own];
  return [...[...cell.under.values()].map((text) => rowOf(cell, text)), own];
}

function rowOf(cell: Cell, text: string): Row {
  const row = { text, line: cell.line, lastLine: cell.line, bytes: utf8Length(text) };
  return cell.redrawn ? { ...row, redrawn: true } : row;
}
