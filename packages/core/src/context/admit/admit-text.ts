/**
 * Decides what of a text the model sees: noise goes, then over-long lines are clipped, then the middle is left out.
 * Invariant: at most `cap` bytes; `whole` says that every line is there in full, terminal noise aside.
 */
import { utf8Length } from '../../text/utf8.ts';
import { countLines } from './bound-lines.ts';
import { clipLine } from './clip-line.ts';
import { cutMiddle } from './cut-middle.ts';
import { formatCount } from './format-count.ts';
import { joinLikeLines } from './like-lines.ts';
import { archiveLimit, middleNotice, noticeBytes, shortenedNotice } from './notice.ts';
import type { Row } from './row.ts';
import { settleScreen, stripSequences } from './terminal.ts';
import type { TextBody } from './text-body.ts';

/** `all`: what a terminal would show, like lines joined. `sequences`: only control sequences go. */
export type Cleaning = 'all' | 'sequences' | 'none';

export interface TextRules {
  readonly cap: number;
  readonly lineCap: number;
  readonly cleaning: Cleaning;
  readonly archiveId: string | undefined;
}

export interface Shown {
  readonly shown: string;
  readonly whole: boolean;
}

interface Rows {
  readonly rows: readonly Row[];
  /** Where lines are missing already. */
  readonly gap: number | undefined;
}

export function admitText(body: TextBody, rules: TextRules): Shown {
  if (rules.cleaning === 'all' && looksBinary(body.head)) return binary(body, rules);
  const { rows, gap } = rowsOf(body, rules.cleaning);
  if (gap === undefined && fits(rows, rules.cap)) {
    const plain = joined(rows);
    const lossy = rows.some((row) => row.lossy);
    if (!lossy && rows.every((row) => row.text.length * 3 <= rules.lineCap || isShort(row, rules.lineCap)))
      return { shown: plain, whole: true };
  }
  return shorten({ rows, gap }, body, rules);
}

function isShort(row: Row, lineCap: number): boolean {
  return utf8Length(row.text) <= lineCap;
}

function rowsOf(body: TextBody, cleaning: Cleaning): Rows {
  const head = cleaned(body.head, 1, cleaning);
  if (body.tail === '') return { rows: head, gap: undefined };
  const tail = cleaned(body.tail, Math.max(1, body.totalLines - countLines(body.tail) + 1), cleaning);
  return { rows: [...head, ...tail], gap: head.length };
}

function cleaned(text: string, firstLine: number, cleaning: Cleaning): Row[] {
  if (cleaning === 'all') return joinLikeLines(withoutLastBlanks(settleScreen(text, firstLine)), 'progress');
  const plain = cleaning === 'sequences' ? stripSequences(text) : text;
  return plain
    .split('\n')
    .map((line, i) => ({ text: line, line: firstLine + i, lastLine: firstLine + i, bytes: utf8Length(line) }));
}

function withoutLastBlanks(rows: Row[]): Row[] {
  return rows.slice(0, rows.findLastIndex((row) => row.text.trim() !== '') + 1);
}

function shorten(all: Rows, body: TextBody, rules: TextRules): Shown {
  const clipped = clipRows(all.rows, rules.lineCap);
  const notice = shortenedNotice(rules.archiveId);
  if (all.gap === undefined && fits(clipped, rules.cap - notice.length - 1))
    return { shown: `${joined(clipped)}\n${notice}`, whole: false };
  const fewer = rules.cleaning === 'all' ? joinParts(clipped, all.gap) : { rows: clipped, gap: all.gap };
  if (fewer.gap === undefined && fits(fewer.rows, rules.cap - notice.length - 1))
    return { shown: `${joined(fewer.rows)}\n${notice}`, whole: false };
  return { shown: withoutMiddle(fewer, body, rules), whole: false };
}

function joinParts(rows: readonly Row[], gap: number | undefined): Rows {
  if (gap === undefined) return { rows: joinLikeLines(rows, 'all'), gap };
  const head = joinLikeLines(rows.slice(0, gap), 'all');
  return { rows: [...head, ...joinLikeLines(rows.slice(gap), 'all')], gap: head.length };
}

function clipRows(rows: readonly Row[], lineCap: number): Row[] {
  return rows.map((row) => ({ ...row, text: clipLine(row.text, lineCap) }));
}

function withoutMiddle(all: Rows, body: TextBody, rules: TextRules): string {
  const notice = noticeBytes + (rules.archiveId?.length ?? 0);
  const cut = cutMiddle(all.rows, { cap: rules.cap, notice, keepTrouble: rules.cleaning === 'all', gap: all.gap });
  const [head, tail] = [all.rows.slice(0, cut.from), all.rows.slice(cut.to)];
  const from = (head.at(-1)?.lastLine ?? 0) + 1;
  const to = Math.max(from, (tail[0]?.line ?? body.totalLines + 1) - 1);
  const left = { lines: to - from + 1, bytes: leftBytes(all, cut, body), from, to };
  const partly = body.totalBytes > archiveLimit;
  const named = middleNotice(left, rules.archiveId, partly, cut.trouble.length > 0);
  return [...head.map(textOf), named, ...cut.trouble, ...tail.map(textOf)].join('\n');
}

/** Without a gap the rows know; with one only the total does. */
function leftBytes(all: Rows, cut: { from: number; to: number }, body: TextBody): number {
  if (all.gap === undefined) return weight(all.rows.slice(cut.from, cut.to));
  return Math.max(0, body.totalBytes - weight(all.rows.slice(0, cut.from)) - weight(all.rows.slice(cut.to)));
}

function weight(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.bytes + 1, 0);
}

function fits(rows: readonly Row[], cap: number): boolean {
  let left = cap + 1;
  for (const row of rows) {
    left -= row.text.length + 1;
    if (left < 0) return false;
  }
  return utf8Length(joined(rows)) <= cap;
}

function joined(rows: readonly Row[]): string {
  return rows.map(textOf).join('\n');
}

function textOf(row: Row): string {
  return row.text;
}

/** Every fifth character of the beginning says nothing to a reader. */
function looksBinary(text: string): boolean {
  const sample = text.slice(0, 8_000);
  const odd = sample.match(/[\0-\x07\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0;
  return odd >= 8 && odd * 5 >= sample.length;
}

function binary(body: TextBody, rules: TextRules): Shown {
  const where = rules.archiveId === undefined ? '' : `, archived as ${rules.archiveId}`;
  return { shown: `[binary output: ${formatCount(body.totalBytes)} bytes${where}]`, whole: false };
}
