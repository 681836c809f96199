/** Shortens texts for a summary, at line boundaries where there are any. Invariant: never inside a character, and what is missing is counted. */
import { clipUtf8, clipUtf8End, utf8Length } from '../../text/utf8.ts';
import { formatCount } from '../admit/format-count.ts';

/** What a line that counts the missing bytes takes at most. */
const noticeBytes = 48;

/** Beginning and end of `text` in at most `bytes`; `text` itself when it fits. */
export function headAndTail(text: string, bytes: number): string {
  if (utf8Length(text) <= bytes) return text;
  const room = Math.max(0, bytes - noticeBytes);
  const head = wholeLines(clipUtf8(text, Math.floor(room * 0.6)));
  const tail = wholeLinesEnd(clipUtf8End(text, room - utf8Length(head)));
  return `${head}\n${leftOut(utf8Length(text) - utf8Length(head) - utf8Length(tail))}\n${tail}`;
}

/** The beginning of `text` in at most `bytes`. */
export function headOf(text: string, bytes: number): string {
  if (utf8Length(text) <= bytes) return text;
  const head = wholeLines(clipUtf8(text, Math.max(0, bytes - noticeBytes)));
  return `${head}\n${leftOut(utf8Length(text) - utf8Length(head))}`;
}

/** One line of at most `bytes`. */
export function clipToLine(text: string, bytes: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return utf8Length(line) <= bytes ? line : `${clipUtf8(line, Math.max(0, bytes - 3))}…`;
}

export function leftOut(bytes: number): string {
  return `[${formatCount(bytes)} bytes left out]`;
}

/** Without a last line that was cut, unless most of the text would go with it. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > text.length / 2 ? text.slice(0, end) : text;
}

function wholeLinesEnd(text: string): string {
  const start = text.indexOf('\n') + 1;
  return start > 0 && start < text.length / 2 ? text.slice(start) : text;
}

/** The entries that fit into `bytes`, each with a line end, from the front; none is cut. */
export function fitting(entries: readonly string[], bytes: number): readonly string[] {
  let left = bytes;
  return entries.filter((entry) => {
    const size = utf8Length(entry) + 1;
    if (size > left) return false;
    left -= size;
    return true;
  });
}

/** `text` between fences that nothing in it can end. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}
