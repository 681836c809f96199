/**
 * Lays rows out in columns, two spaces between; the last column is not padded. Cells must be sanitised before. Where the
 * table has to fit into a terminal, the widest of those columns that may give way do, as far as they may.
 */
import { cellWidth, cutCell } from './cell.ts';

export interface Fit {
  /** Of the terminal. */
  readonly columns: number;
  readonly giving: readonly Giving[];
}

/** A column that may be cut, and which part of its cells then says most. */
export interface Giving {
  readonly column: number;
  readonly least: number;
  readonly keeps: 'begin' | 'end';
}

/** `fit` absent: every cell is whole. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], fit?: Fit): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => cellWidth(row[column] ?? ''))));
  if (fit !== undefined) giveWay(widths, fit);
  return all.map((row) => `${row.map((cell, column) => laid(cell, column, widths, fit)).join(between)}\n`).join('');
}

const between = '  ';

function giveWay(widths: number[], { columns, giving }: Fit): void {
  let over = widths.reduce((sum, width) => sum + width + between.length, -between.length) - columns;
  for (; over > 0; over -= 1) {
    const able = giving.filter(({ column, least }) => (widths[column] ?? 0) > least);
    const [widest] = able.toSorted((a, b) => (widths[b.column] ?? 0) - (widths[a.column] ?? 0));
    if (widest === undefined) return;
    widths[widest.column] = (widths[widest.column] ?? 0) - 1;
  }
}

function laid(cell: string, column: number, widths: readonly number[], fit: Fit | undefined): string {
  const width = widths[column] ?? 0;
  const keeps = fit?.giving.find((one) => one.column === column)?.keeps;
  const text = keeps === undefined ? cell : cutCell(cell, width, keeps);
  return column === widths.length - 1 ? text : text + ' '.repeat(Math.max(0, width - cellWidth(text)));
}
