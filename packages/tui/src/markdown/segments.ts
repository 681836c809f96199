/**
 * Cuts a Markdown text where it can be: between blocks, never inside a fence. What was cut off does not change when more
 * text arrives, so that a long answer is laid out once and not with every word. Invariant: joined, they are the text.
 */

/** What is longer outside a fence is cut inside its block: a lexer's time may grow with the square of it. */
const mostCharacters = 16_000;

export function segmentsOf(text: string): readonly string[] {
  const segments: string[] = [];
  let from = 0;
  let at = 0;
  let fence: string | undefined;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    for (; fence === undefined && next - from > mostCharacters; from = Math.max(from, cutOf(text, from, at)))
      segments.push(text.slice(from, cutOf(text, from, at)));
    const line = text.slice(at, next);
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) fence = marks;
    else if (marks?.startsWith(fence) === true && line.trim() === marks) fence = undefined;
    // A list or an indented block may go on behind an empty line.
    if (fence === undefined && line.trim() === '' && /^\S/.test(text.slice(next)) && !goesOn(text, from, next)) {
      segments.push(text.slice(from, next));
      from = next;
    }
    at = next;
  }
  if (from < text.length) segments.push(text.slice(from));
  return segments;
}

/** Where too long a segment ends: before the line at `at`, else behind a space, else anywhere but inside a character. */
function cutOf(text: string, from: number, at: number): number {
  if (at > from) return at;
  const most = text.slice(from, from + mostCharacters);
  const space = most.lastIndexOf(' ') + 1;
  return from + (space > 0 ? space : most.length - (/[\ud800-\udbff]$/.test(most) ? 1 : 0));
}

/** A further item of the list that this segment begins with. */
function goesOn(text: string, from: number, next: number): boolean {
  const item = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) /;
  return item.test(text.slice(from, from + 16)) && item.test(text.slice(next, next + 16));
}
