/** Looks for a text by its rarest part. Invariant: it is found where `indexOf` finds it. */
import { probeOf } from '@zerd/core/search/probe';

export interface Needle {
  readonly bytes: Buffer;
  readonly probe: Buffer;
  /** Where in `bytes` the probe begins. */
  readonly back: number;
}

export function needleOf(text: string): Needle {
  const bytes = Buffer.from(text);
  const { from, to } = probeOf(bytes);
  return { bytes, probe: bytes.subarray(from, to), back: from };
}

/** As `indexOf`. */
export function findIn(bytes: Buffer, { bytes: wanted, probe, back }: Needle, from: number): number {
  for (let at = bytes.indexOf(probe, from + back); at >= 0; at = bytes.indexOf(probe, at + 1)) {
    if (isAt(bytes, wanted, at - back)) return at - back;
  }
  return -1;
}

function isAt(bytes: Buffer, wanted: Buffer, from: number): boolean {
  for (let n = 0; n < wanted.length; n += 1) if (bytes[from + n] !== wanted[n]) return false;
  return true;
}
