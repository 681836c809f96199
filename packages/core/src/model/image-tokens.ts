/**
 * Counts the tokens of an image by the rule of the model that sees it: patches that cover it, tiles, or a fixed number.
 * Pure. Invariant: never below 1.
 */

export type ImageRule =
  | {
      readonly kind: 'patches';
      /** Pixels along a patch. */
      readonly side: number;
      /** An image beyond these is scaled down first; absent: it is taken as it is. */
      readonly mostSide?: number;
      readonly mostPatches?: number;
      /** How far: to the largest size that fits, or to whole patches along one side (OpenAI). */
      readonly shrinks?: 'largest' | 'floored';
      /** Tokens a patch. */
      readonly times?: number;
    }
  | {
      readonly kind: 'tiles';
      readonly side: number;
      readonly base: number;
      readonly each: number;
      /** The longer side is scaled down to this, then the shorter one. */
      readonly mostLong?: number;
      readonly mostShort?: number;
      /** An image whose sides do not exceed it is one tile. */
      readonly oneUpTo?: number;
    }
  | { readonly kind: 'flat'; readonly tokens: number };

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

export function imageTokens(rule: ImageRule, size: PixelSize): number {
  switch (rule.kind) {
    case 'flat':
      return rule.tokens;
    case 'tiles':
      return rule.base + rule.each * tilesOf(rule, size);
    case 'patches':
      return Math.max(1, Math.ceil(patchesOf(rule, size) * (rule.times ?? 1)));
  }
}

type Patches = Extract<ImageRule, { kind: 'patches' }>;
type Tiles = Extract<ImageRule, { kind: 'tiles' }>;

function patchesOf({ side, mostSide, mostPatches, shrinks = 'largest' }: Patches, size: PixelSize): number {
  const inside = mostSide === undefined ? size : scaled(size, Math.min(1, mostSide / longer(size)));
  const count = covering(inside, side);
  if (mostPatches === undefined || count <= mostPatches) return count;
  const factor = (shrinks === 'largest' ? largestFit : flooredFit)(inside, side, mostPatches);
  return covering(scaled(inside, factor), side);
}

/** A number of columns allows some rows: the best of all such scales. */
function largestFit({ width, height }: PixelSize, side: number, most: number): number {
  let best = 0;
  for (let columns = 1; columns <= Math.min(most, Math.ceil(width / side)); columns++)
    best = Math.max(best, Math.min((columns * side) / width, (Math.floor(most / columns) * side) / height));
  return best;
}

function flooredFit({ width, height }: PixelSize, side: number, most: number): number {
  const first = Math.sqrt((most * side * side) / (width * height));
  const whole = (length: number) => Math.max(1, Math.floor((length * first) / side)) / ((length * first) / side);
  return first * Math.min(whole(width), whole(height));
}

function tilesOf({ side, mostLong, mostShort, oneUpTo = 0 }: Tiles, size: PixelSize): number {
  if (longer(size) <= oneUpTo) return 1;
  const inside = mostLong === undefined ? size : scaled(size, Math.min(1, mostLong / longer(size)));
  const shorter = Math.min(inside.width, inside.height);
  return covering(mostShort === undefined ? inside : scaled(inside, Math.min(1, mostShort / shorter)), side);
}

function longer({ width, height }: PixelSize): number {
  return Math.max(width, height);
}

function scaled({ width, height }: PixelSize, factor: number): PixelSize {
  return { width: width * factor, height: height * factor };
}

/** What a factor brings to a whole number of patches is one, whatever its last digits. */
function covering({ width, height }: PixelSize, side: number): number {
  return Math.ceil(width / side - 1e-6) * Math.ceil(height / side - 1e-6);
}
