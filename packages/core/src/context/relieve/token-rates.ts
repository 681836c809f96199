/**
 * Estimates tokens without a tokenizer: bytes a token by class of text, fitted for the model in use from the usage that
 * it reports. Invariant: same log, same rates; a sample moves each class by its share of that sample, and never far.
 */

export type TextClass = 'prose' | 'code' | 'json' | 'dense' | 'opaque' | 'image';
export type ByClass = Readonly<Record<TextClass, number>>;

/** What entered the prompt between two requests, and by how many tokens the prompt grew. */
export interface RateSample {
  readonly bytes: ByClass;
  readonly tokens: number;
}

/**
 * Bytes a token before anything is known: between the encodings in use (2026-11: o200k 4.3 for code, 3.3 for JSON, 2.1
 * for listings; Claude's newest a third less). `opaque` is what only the provider can read; an
 * image is given in tokens as its model's rule counts them.
 */
export const usualRates: ByClass = { prose: 3.9, code: 3.5, json: 3, dense: 2.4, opaque: 4, image: 1 };
export const noBytes: ByClass = { prose: 0, code: 0, json: 0, dense: 0, opaque: 0, image: 0 };

const classes = Object.keys(usualRates) as readonly TextClass[];
/** How much of its error a sample of many tokens corrects. */
const step = 0.4;
/** Samples below this say more about framing than about text. */
const fullSample = 400;
const leastSample = 50;
const [leastRate, mostRate] = [1, 8];

export function fitRates(samples: readonly RateSample[], from: ByClass = usualRates): ByClass {
  return samples.reduce(fitOne, from);
}

export function tokensOf(bytes: ByClass, rates: ByClass): number {
  return classes.reduce((sum, name) => sum + bytes[name] / rates[name], 0);
}

export function addBytes(a: ByClass, b: ByClass): ByClass {
  const { prose, code, json, dense, opaque, image } = a;
  return {
    prose: prose + b.prose,
    code: code + b.code,
    json: json + b.json,
    dense: dense + b.dense,
    opaque: opaque + b.opaque,
    image: image + b.image,
  };
}

function fitOne(rates: ByClass, { bytes, tokens }: RateSample): ByClass {
  const guess = tokensOf(bytes, rates);
  if (tokens < leastSample || guess <= 0) return rates;
  const error = Math.min(2, Math.max(0.5, guess / tokens));
  const weight = step * Math.min(1, tokens / fullSample);
  const moved = classes.map((name) => {
    const share = bytes[name] / rates[name] / guess;
    return [name, Math.min(mostRate, Math.max(leastRate, rates[name] * error ** (weight * share)))] as const;
  });
  return Object.fromEntries(moved) as Record<TextClass, number>;
}

/** How much of a text is looked at to tell its class. */
const looked = 2_000;

/** By the share of digits and of signs: what splits into many tokens has many of them. */
export function classOf(text: string): TextClass {
  const sample = text.length <= looked ? text : text.slice(0, looked / 2) + text.slice(-looked / 2);
  let digits = 0;
  let signs = 0;
  for (let i = 0; i < sample.length; i++) {
    const unit = sample.charCodeAt(i);
    if (unit >= 48 && unit <= 57) digits++;
    else if (unit > 32 && unit < 127 && !isLetter(unit)) signs++;
  }
  const [first] = sample.trimStart();
  if (digits > 0.15 * sample.length) return 'dense';
  if ((first === '{' || first === '[') && signs > 0.12 * sample.length) return 'json';
  return signs > 0.08 * sample.length ? 'code' : 'prose';
}

function isLetter(unit: number): boolean {
  return (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
}
