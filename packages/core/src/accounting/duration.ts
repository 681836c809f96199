/** A span of time for people. */

/** `45 s`, `7 min 12 s`, `3 h 20 min`. */
export function inWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return joined(minutes, 'min', seconds % 60, 's');
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
