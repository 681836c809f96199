/** Puts in place of an image's bytes a text of as many tokens as it counts, which is equal exactly when the image is. */
import { createHash } from 'node:crypto';
import { imageOf, type SentImage, sizeOf } from '../view/image.ts';
import { isObject, type Json } from '../wire.ts';

const pixelsPerToken = 750;
const mostTokens = 1_600;

export function withoutImageBytes(json: Json): Json {
  const image = imageOf(json);
  if (image !== undefined) return { type: json.type, image: standIn(image) };
  const lists = Object.entries(json).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? withoutImageBytes(item) : item)) : value,
  ]);
  return Object.fromEntries(lists) as Json;
}

/** ` image` is one token. */
function standIn(image: SentImage): string {
  const { width, height } = sizeOf(image);
  const tokens = Math.min(mostTokens, Math.ceil((width * height) / pixelsPerToken));
  const name = createHash('sha256').update(image.data).digest('hex').slice(0, 12);
  return name + ' image'.repeat(tokens);
}
