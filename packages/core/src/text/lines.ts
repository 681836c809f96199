/**
 * Lines and their endings. A line ends with LF or CRLF; a carriage return alone is data. Invariant: the parts joined
 * are the text again.
 */

export type Eol = '\n' | '\r\n';

export interface EolFacts {
  readonly lf: number;
  readonly crlf: number;
  /** What most lines end with; undefined: no line ends. LF wins a tie. */
  readonly majority: Eol | undefined;
}

/** The lines with their endings. A text that ends with a line ending has no empty last line; '' has no line. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(start, next));
    start = next;
  }
  return lines;
}

/** The lines of a text with LF, without their endings; '' has no line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** How many lines `splitLines` would give. */
export function countLines(text: string): number {
  const ends = countOf(text, '\n');
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

export function detectEol(text: string): EolFacts {
  const crlf = countOf(text, '\r\n');
  const lf = countOf(text, '\n') - crlf;
  return { lf, crlf, majority: lf + crlf === 0 ? undefined : crlf > lf ? '\r\n' : '\n' };
}

/** `text` with LF for every CRLF. */
export function toLf(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

/** The number, from 1, of the line that holds the character at `offset`. */
export function lineAt(text: string, offset: number): number {
  return countOf(text.slice(0, offset), '\n') + 1;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}
