/** Money for people. Invariant: what is not nothing never reads as nothing, and what is unknown never reads as a sum. */

const picoPerDollar = 1_000_000_000_000;

/** '$1.60' from a dollar on, '$0.0042' below, '<$0.0001' for less; null is 'unpriced'. */
export function formatUsd(pico: number | null): string {
  if (pico === null) return 'unpriced';
  if (pico < 0) return `-${formatUsd(-pico)}`;
  if (pico === 0) return '$0.00';
  const tenThousandths = Math.round(pico / (picoPerDollar / 10_000));
  if (tenThousandths === 0) return '<$0.0001';
  if (tenThousandths < 10_000) return `$${(tenThousandths / 10_000).toFixed(4)}`;
  return `$${(Math.round(pico / (picoPerDollar / 100)) / 100).toFixed(2)}`;
}
