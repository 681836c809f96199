/**
 * Gives the lines of a replacement their endings: a line that stays keeps its own, a line that is new follows the
 * majority of the file.
 */
import type { Eol } from '../text/lines.ts';

interface Line {
  readonly text: string;
  readonly eol: Eol;
}

/** `replaced` is what the file holds now; `next` takes its place and has LF only. */
export function withEndings(replaced: string, next: string, majority: Eol): string {
  const before = linesOf(replaced);
  const after = next.split('\n');
  const last = after.pop() ?? '';
  const endings = after.length === before.length ? before.map((line) => line.eol) : alike(before, after, majority);
  return after.map((text, i) => text + (endings[i] ?? majority)).join('') + last;
}

/** The endings of equal lines, found in order; the majority for every other line. */
function alike(before: readonly Line[], after: readonly string[], majority: Eol): Eol[] {
  let from = 0;
  return after.map((text) => {
    const at = before.findIndex((line, i) => i >= from && line.text === text);
    if (at < 0) return majority;
    from = at + 1;
    return before[at]?.eol ?? majority;
  });
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => (line.endsWith('\r') ? { text: line.slice(0, -1), eol: '\r\n' } : { text: line, eol: '\n' }));
}
