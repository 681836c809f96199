/**
 * Cuts a Markdown text where it can be: between blocks, never inside a fence. What was cut off does not change when more
 * text arrives, so that a long answer is laid out once and not with every word. Invariant: joined, they are the text.
 */
export function segmentsOf(text: string): readonly string[] {
  const segments: string[] = [];
  let from = 0;
  let at = 0;
  let fence: string | undefined;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
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

/** A further item of the list that this segment begins with. */
function goesOn(text: string, from: number, next: number): boolean {
  const item = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) /;
  return item.test(text.slice(from, from + 16)) && item.test(text.slice(next, next + 16));
}
