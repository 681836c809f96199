/**
 * Words what takes the place of text that the transcript shows already, and knows its own words again: no such line may
 * become the content of a file. Invariant: one line each, in brackets, with the archive id under which the whole can be
 * had.
 */
import type { CallId } from '@zerd/protocol/common/ids';
import { handedCall } from '../../session/handed-call.ts';
import { clipUtf8, wellFormed } from '../../text/utf8.ts';
import { formatCount } from '../admit/format-count.ts';
import type { VisibleResults } from '../visible.ts';
import type { LineRange } from './ranges.ts';

const archived = /; archive [0-9a-f]{12,64}\]$/;
const recalled = /recall \{"id":"[0-9a-f]{12,64}"/;
const counted = /^\[\d+ times in a row no new line of .+\]$/;

/** Whether a line is one of ours: a pointer, a count of repeats, or what names left-out lines. */
export function isOurLine(line: string): boolean {
  const text = line.trim();
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  return archived.test(text) || recalled.test(text) || counted.test(text);
}

/** `[a.ts unchanged since call 12: lines 1-310 above; archive 1a2b3c4d5e6f]` */
export function unchangedLines(what: {
  readonly path: string;
  readonly range: LineRange;
  readonly calls: string;
  /** The first line, where the range is no whole file: what was shown had no numbers. */
  readonly anchor: string | undefined;
  readonly archive: string;
}): string {
  const { path, range, calls, anchor, archive } = what;
  const from = anchor === undefined ? '' : `, from ${quoted(anchor)} on`;
  return line(`${path} unchanged since ${calls}: ${linesText(range)} above${from}; archive ${archive}`);
}

/** `[same as call 12, above; archive 1a2b3c4d5e6f]` */
export function sameResult(calls: string, archive: string): string {
  return line(`same as ${calls}, above; archive ${archive}`);
}

export function fileChanged(path: string, calls: string, archive: string): string {
  return line(`${path} changed since ${calls}, above, only in this; archive ${archive}`);
}

export function outputChanged(calls: string, archive: string): string {
  return line(`as ${calls}, above, but for this; archive ${archive}`);
}

/** Whether a line is what `outputChanged` gives. */
export function isOutputChanged(text: string): boolean {
  return /^\[as (?:call|the first message).+, above, but for this; archive [0-9a-f]{12,64}\]$/.test(text);
}

export function shownLines(count: number, calls: string, first: string, archive: string): string {
  return line(`${formatCount(count)} lines as in ${calls}, above, from ${quoted(first)} on; archive ${archive}`);
}

export function nothingNewLine(times: number, of: string): string {
  return line(`${times} times in a row no new line of ${of}: use what is above`);
}

/** `call 12`, `calls 9 and 12`, `the first message and call 3`: the newest last. */
export function callsText(results: VisibleResults, calls: readonly CallId[]): string {
  const others = calls.filter((callId) => callId !== handedCall);
  if (others.length === calls.length) return numbersText(results, calls);
  return others.length === 0 ? 'the first message' : `the first message and ${numbersText(results, others)}`;
}

function numbersText(results: VisibleResults, calls: readonly CallId[]): string {
  const numbers = calls.map((callId) => results.get(callId)?.number ?? 0).sort((a, b) => a - b);
  const last = numbers.pop() ?? 0;
  if (numbers.length === 0) return `call ${last}`;
  const shown = numbers.length > 6 ? `${numbers.slice(0, 2).join(', ')}, ...` : numbers.join(', ');
  return `calls ${shown} and ${last}`;
}

function linesText({ firstLine, lastLine }: LineRange): string {
  return firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
}

function quoted(text: string): string {
  return JSON.stringify(clipUtf8(wellFormed(text.trim()), 60));
}

function line(text: string): string {
  return `[${text}]`;
}
