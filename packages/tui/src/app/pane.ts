/** What a part of the screen has to offer: it is asked for its lines, and given the keys while it has the focus. */
import type { Input } from '../screen/port.ts';
import type { Line } from '../text/style.ts';

export interface Pane {
  /** Exactly `rows` lines or fewer, none wider than `columns`. */
  lines(columns: number, rows: number): readonly Line[];
  /** Whether it took the input. */
  take(input: Input): boolean;
  /** Where the cursor stands within its lines; undefined: it has none. */
  cursor?(columns: number, rows: number): { readonly column: number; readonly row: number } | undefined;
}
