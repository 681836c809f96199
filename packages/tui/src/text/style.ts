/**
 * What is drawn: lines of spans. Plain data, so that everything above the screen can be tested without a terminal.
 * Invariant: the text of a span has passed `sanitise` and holds no line break and no control character.
 */

/** An index of the 256-colour palette. */
export type Colour = number;

export interface Style {
  readonly fg?: Colour;
  readonly bg?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One row. It may be longer than the window is wide until it is wrapped. */
export type Line = readonly Span[];

export const plain: Style = {};

export function span(text: string, style: Style = plain): Span {
  return { text, style };
}

export function lineText(line: Line): string {
  return line.map(({ text }) => text).join('');
}
