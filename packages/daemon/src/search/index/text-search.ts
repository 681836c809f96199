/** Looks for texts by their rarest parts. Invariant: each is found where `indexOf` finds it. */
import { probeOf } from '@zerd/core/search/probe';

/**
 * Gives the next place of any text in some bytes; -1: there is none. The places asked for must ascend. `texts`: those that
 * may be there, bit n for text n; all where it is not given.
 */
export type TextSearch = (bytes: Buffer, texts?: number) => (from: number) => number;

interface Needle {
  readonly bytes: Buffer;
  readonly probe: Buffer;
  /** Where in `bytes` the probe begins. */
  readonly back: number;
}

interface Place {
  readonly needle: Needle;
  at: number;
}

export function createTextSearch(texts: readonly string[]): TextSearch {
  const needles = texts.map(needleOf);
  return (bytes, texts = -1) => {
    // Each text goes over the bytes once.
    const places: Place[] = [];
    needles.forEach((needle, n) => {
      if (((texts >> n) & 1) !== 0) places.push({ needle, at: findIn(bytes, needle, 0) });
    });
    return (from) => {
      let first = -1;
      for (const place of places) {
        if (place.at >= 0 && place.at < from) place.at = findIn(bytes, place.needle, from);
        if (place.at >= 0 && (first < 0 || place.at < first)) first = place.at;
      }
      return first;
    };
  };
}

function needleOf(text: string): Needle {
  const bytes = Buffer.from(text);
  const { from, to } = probeOf(bytes);
  return { bytes, probe: bytes.subarray(from, to), back: from };
}

function findIn(bytes: Buffer, { bytes: wanted, probe, back }: Needle, from: number): number {
  for (let at = bytes.indexOf(probe, from + back); at >= 0; at = bytes.indexOf(probe, at + 1)) {
    if (isAt(bytes, wanted, at - back)) return at - back;
  }
  return -1;
}

function isAt(bytes: Buffer, wanted: Buffer, from: number): boolean {
  for (let n = 0; n < wanted.length; n += 1) if (bytes[from + n] !== wanted[n]) return false;
  return true;
}
