/**
 * Counts tokens: o200k (gpt-tokenizer). The same text is counted once. A run of one kind of character that is longer
 * than 400 is counted in pieces of 400: the encoder's time is quadratic in such a run.
 */

export interface Counted {
  /** Equal texts have equal ids. */
  readonly id: number;
  readonly tokens: Uint32Array;
}

export interface Tokenizer {
  count(text: string): Counted;
}

const longRun = /[\p{L}\p{M}]{401,}|[^\s\p{L}\p{N}]{401,}|\s{401,}/gu;

/** The encoder is large and is loaded when the first gateway needs it. */
export async function loadTokenizer(): Promise<Tokenizer> {
  const { encode } = await import('gpt-tokenizer/encoding/o200k_base');
  const disallowedSpecial = new Set<string>();
  const known = new Map<string, Counted>();
  return {
    count(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = Uint32Array.from(partsOf(text).flatMap((part) => encode(part, { disallowedSpecial })));
      const counted = { id: known.size, tokens };
      known.set(text, counted);
      return counted;
    },
  };
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(longRun)) {
    parts.push(text.slice(from, index), ...(run.match(/.{1,400}/gsu) ?? []));
    from = index + run.length;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== '');
}
