/**
 * Decides how much of a text is looked at by lines: the first and the last 20,000. Invariant: what is left aside could
 * not have been shown, and the totals go on counting it; a few hundred kilobytes of nothing but line ends cost no more
 * time and memory than lines of a usual length.
 */
import type { TextBody } from './text-body.ts';

/** Lines of each end. The largest cap shows fewer. */
const mostLines = 20_000;

export function boundLines(body: TextBody): TextBody {
  const firstEnd = endOfFirst(body.head, mostLines);
  if (body.tail !== '') {
    return { ...body, head: body.head.slice(0, firstEnd), tail: body.tail.slice(startOfLast(body.tail, mostLines)) };
  }
  const lastStart = startOfLast(body.head, mostLines);
  if (lastStart <= firstEnd) return body;
  return { ...body, head: body.head.slice(0, firstEnd), tail: body.head.slice(lastStart) };
}

/** A line end at the very end begins no further line. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where the first `count` lines are over. */
function endOfFirst(text: string, count: number): number {
  let end = 0;
  for (let lines = 0; lines < count; lines += 1) {
    const next = text.indexOf('\n', end);
    if (next < 0) return text.length;
    end = next + 1;
  }
  return end;
}

/** Where the last `count` lines begin. */
function startOfLast(text: string, count: number): number {
  let start = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let lines = 0; lines < count; lines += 1) {
    if (start <= 0) return 0;
    const before = text.lastIndexOf('\n', start - 1);
    if (before < 0) return 0;
    start = before;
  }
  return start + 1;
}
