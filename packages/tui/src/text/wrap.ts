/**
 * Breaks lines of spans into rows of a width: between words where that is possible, inside a word where it is longer than
 * a row. Invariants: no row is wider than asked; joined, the rows say what the line said, spaces at breaks aside.
 */
import { type Cluster, clusters, columnsOf } from './clusters.ts';
import { type Line, lineText, type Span, type Style, span } from './style.ts';

export interface WrapWish {
  readonly columns: number;
  /** Goes in front of every row but the first. */
  readonly hang?: string;
  /** Breaks anywhere: for code. */
  readonly anywhere?: boolean;
}

interface Piece extends Cluster {
  readonly style: Style;
}

export function wrap(line: Line, { columns, hang = '', anywhere = false }: WrapWish): readonly Line[] {
  const width = Math.max(1, columns);
  if (lineColumns(line) <= width) return [line];
  const indent = columnsOf(hang) < width ? hang : '';
  if (ascii.test(lineText(line))) return wrapAscii(line, { width, indent, anywhere });
  const rows: Piece[][] = [];
  let row: Piece[] = [];
  let used = 0;
  const room = () => width - (rows.length === 0 ? 0 : columnsOf(indent));
  for (const piece of piecesOf(line)) {
    if (used + piece.columns > room() && row.length > 0) {
      const word = anywhere || piece.text === ' ' ? [] : lastWord(row);
      const carried = sum(word) + piece.columns > width - columnsOf(indent) ? [] : word;
      rows.push(carried.length > 0 ? row.slice(0, row.length - carried.length) : row);
      row = [...carried];
      used = sum(row);
      // The break stands for the space.
      if (piece.text === ' ' && row.length === 0 && !anywhere) continue;
    }
    row.push(piece);
    used += piece.columns;
  }
  if (row.length > 0 || rows.length === 0) rows.push(row);
  return rows.map((pieces, index) => joined(index === 0 ? '' : indent, trimEnd(pieces, anywhere)));
}

const ascii = /^[\x20-\x7e]*$/;

interface AsciiWish {
  readonly width: number;
  readonly indent: string;
  readonly anywhere: boolean;
}

/** The same by places in the text: an answer may have one line of a million characters. */
function wrapAscii(line: Line, { width, indent, anywhere }: AsciiWish): readonly Line[] {
  const text = lineText(line);
  const take = taker(line);
  const rows: Line[] = [];
  for (let from = 0; from < text.length || rows.length === 0; ) {
    const room = width - (rows.length === 0 ? 0 : indent.length);
    const full = text.slice(from, from + room);
    const next = text[from + room];
    const word = anywhere || next === undefined || next === ' ' ? 0 : lastWordLength(full);
    const kept = word + 1 > width - indent.length ? full : full.slice(0, full.length - word);
    const end = from + (anywhere ? kept.length : kept.replace(/ +$/, '').length);
    rows.push([...(rows.length === 0 || indent === '' ? [] : [span(indent)]), ...take(from, end)]);
    // The break stands for the space.
    from += kept.length + (next === ' ' && !anywhere ? 1 : 0);
  }
  return rows;
}

function lastWordLength(row: string): number {
  const at = Math.max(row.lastIndexOf(' '), row.lastIndexOf('-'), row.lastIndexOf('/'));
  return at < 0 || /^ *$/.test(row.slice(0, at + 1)) ? 0 : row.length - at - 1;
}

/** Cuts pieces out of a line; each begins where the last one ended, or behind it. */
function taker(line: Line): (from: number, to: number) => Line {
  let index = 0;
  let before = 0;
  return (from, to) => {
    const spans: Span[] = [];
    for (let here = line[index]; here !== undefined && before < to; here = line[index]) {
      const { text, style } = here;
      const part = text.slice(Math.max(0, from - before), to - before);
      const last = spans.at(-1);
      if (last !== undefined && last.style === style) spans[spans.length - 1] = { text: last.text + part, style };
      else if (part !== '') spans.push({ text: part, style });
      if (before + text.length > to) break;
      before += text.length;
      index += 1;
    }
    return spans;
  };
}

export function lineColumns(line: Line): number {
  return line.reduce((columns, { text }) => columns + columnsOf(text), 0);
}

function* piecesOf(line: Line): Iterable<Piece> {
  for (const { text, style } of line) for (const cluster of clusters(text)) yield { ...cluster, style };
}

/** What stands behind the last space; nothing when that is the whole row. */
function lastWord(row: readonly Piece[]): readonly Piece[] {
  const space = row.findLastIndex(({ text }) => text === ' ');
  const dash = row.findLastIndex(({ text }) => text === '-' || text === '/');
  const at = Math.max(space, dash);
  // A row of spaces alone (an indent) is no place to break.
  return at < 0 || row.slice(0, at + 1).every(({ text }) => text === ' ') ? [] : row.slice(at + 1);
}

function sum(row: readonly Piece[]): number {
  return row.reduce((columns, piece) => columns + piece.columns, 0);
}

function trimEnd(row: readonly Piece[], anywhere: boolean): readonly Piece[] {
  if (anywhere) return row;
  const end = row.findLastIndex(({ text }) => text !== ' ');
  return row.slice(0, end + 1);
}

function joined(indent: string, pieces: readonly Piece[]): Line {
  const spans: Span[] = indent === '' ? [] : [span(indent)];
  for (const { text, style } of pieces) {
    const last = spans.at(-1);
    if (last !== undefined && last.style === style) spans[spans.length - 1] = { text: last.text + text, style };
    else spans.push({ text, style });
  }
  return spans;
}

/** Exactly so wide: cut, or filled with spaces in the style of its last span. */
export function fit(line: Line, columns: number): Line {
  const spans: Span[] = [];
  let left = columns;
  for (const { text, style } of line) {
    if (left <= 0) break;
    const width = columnsOf(text);
    if (width <= left) {
      spans.push({ text, style });
      left -= width;
      continue;
    }
    let cut = '';
    for (const cluster of clusters(text)) {
      if (cluster.columns > left) break;
      cut += cluster.text;
      left -= cluster.columns;
    }
    spans.push({ text: cut, style });
    break;
  }
  const bg = line.at(-1)?.style.bg;
  if (left > 0) spans.push(span(' '.repeat(left), bg === undefined ? {} : { bg }));
  return spans;
}
