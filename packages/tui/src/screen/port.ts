/**
 * The terminal as the rest of the UI sees it. Everything of blessed is behind this. Invariant: a key that was typed is
 * given on at once; frames are drawn at most so often, and only what changed goes to the terminal.
 */
import type { Line } from '../text/style.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** `name`: 'a', 'enter', 'escape', 'up', 'pageup', 'tab', 'f1', ...; `text`: what it types, '' for none. */
export interface Key {
  readonly name: string;
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export type Input =
  | { readonly kind: 'key'; readonly key: Key }
  /** Bracketed: it never submits. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'wheel'; readonly lines: number; readonly row: number }
  | { readonly kind: 'click'; readonly column: number; readonly row: number };

export interface Frame {
  /** As many as the screen has rows, each no wider than it is. */
  readonly lines: readonly Line[];
  /** Absent: hidden. */
  readonly cursor?: { readonly column: number; readonly row: number };
}

export interface Screen {
  size(): Size;
  onInput(listener: (input: Input) => void): Disposable;
  onResize(listener: (size: Size) => void): Disposable;
  /** Draws the newest frame when it is time; earlier ones that were not drawn are dropped. */
  draw(frame: Frame): void;
  /** Draws at once: for what a key changed. */
  drawNow(frame: Frame): void;
  /** Rings, or shows it, as the terminal does; where the terminal tells of focus, only without it. */
  bell(): void;
  setTitle(title: string): void;
  /** Puts a text on the clipboard; a terminal that does not let programs do that ignores it. */
  copy(text: string): void;
  /** Gives the terminal to another program (an editor) and takes it back. */
  suspend<T>(during: () => Promise<T>): Promise<T>;
  /** Restores the terminal as it was. */
  close(): void;
}
