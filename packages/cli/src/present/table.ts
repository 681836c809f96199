/** Lays rows out in columns, two spaces between; the last column is not padded. Cells must be sanitised before. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => `${row.map((cell, column) => pad(cell, column, widths)).join('  ')}\n`).join('');
}

function pad(cell: string, column: number, widths: readonly number[]): string {
  return column === widths.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
}
