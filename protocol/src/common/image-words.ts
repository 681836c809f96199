/**
 * Images in words, and the limits under which every provider takes one (Anthropic's page on vision, 2026-11: 8000 pixels a
 * side, 10 MB as base64). Without a schema: clients carry none.
 */

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

export const maxImageBytes = 5_000_000;
export const maxImageSide = 8_000;
/** What one message may bring: it travels as base64 in one request of the protocol. */
export const maxImagesAtOnce = 20;
export const maxImageBytesAtOnce = 10_000_000;

interface Facts {
  readonly name: string;
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

interface CountedFacts extends Facts {
  /** 0: it is named to a model that sees none. */
  readonly tokens: number;
}

/** For the model: `shot.png, 800x600 PNG, 34 kB`. */
export function imageWords({ name, type, width, height, bytes }: Facts): string {
  return `${name}, ${width}x${height} ${typeName(type)}, ${kilobytes(bytes)}`;
}

/** For people: `[image shot.png 800x600, 34 kB, ~1,100 tokens]`. */
export function imageLabel({ name, width, height, bytes, tokens }: CountedFacts): string {
  const counts = tokens === 0 ? 'named to a model that sees none' : `~${grouped(tokens)} tokens`;
  return `[image ${name} ${width}x${height}, ${kilobytes(bytes)}, ${counts}]`;
}

/** A text with the images that go with it, a line each. */
export function withImageLabels(text: string, images: readonly CountedFacts[] = []): string {
  return [text, ...images.map(imageLabel)].join('\n');
}

/** That a provider refused some, for people. */
export function refusedImagesText(count: number, reason: string): string {
  const what = count === 1 ? 'an image, which is' : `${count} images, which are`;
  return `the provider refused ${what} named to the model from here on: ${reason}`;
}

export function typeName(type: ImageType): string {
  return type === 'image/webp' ? 'WebP' : type.slice('image/'.length).toUpperCase();
}

function kilobytes(bytes: number): string {
  return `${grouped(Math.max(1, Math.round(bytes / 1000)))} kB`;
}

/** Without the locale's data: the same text on every machine. */
function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
