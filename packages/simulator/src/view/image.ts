/** An image as it arrives on any wire: what it claims to be, its bytes, and what can be told of them. */
import { isObject, type Json, stringOf } from '../wire.ts';

export interface SentImage {
  /** As it is declared: `image/png`. */
  readonly mediaType: string;
  /** Base64 as it came. */
  readonly data: string;
}

/** Of a content part; undefined: it is none that carries its bytes. */
export function imageOf(part: Json): SentImage | undefined {
  const { type, source, image_url: url } = part;
  if (type === 'image' && isObject(source) && source.type === 'base64')
    return { mediaType: stringOf(source.media_type), data: stringOf(source.data) };
  if (type !== 'input_image' && type !== 'image_url') return undefined;
  const address = isObject(url) ? stringOf(url.url) : stringOf(url);
  const comma = address.indexOf(',');
  const [, mediaType] = /^data:([^;,]*);base64$/.exec(address.slice(0, Math.max(0, comma))) ?? [];
  return mediaType === undefined ? undefined : { mediaType, data: address.slice(comma + 1) };
}

const magics: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF.{4}WEBP/s,
};

/** What its bytes are; undefined: nothing that the providers take. */
export function typeInBytes({ data }: SentImage): string | undefined {
  const begin = Buffer.from(data.slice(0, 64), 'base64').toString('latin1');
  return Object.keys(magics).find((type) => magics[type]?.test(begin));
}

/** Megabytes: what is wrong is looked for, character by character, and nothing is tried again. */
export function isBase64({ data }: SentImage): boolean {
  const end = data.indexOf('=');
  const padded = end === -1 || (end >= data.length - 2 && /^={1,2}$/.test(data.slice(end)));
  return data !== '' && data.length % 4 === 0 && padded && !/[^A-Za-z0-9+/=]/.test(data);
}

/** Of a PNG and a GIF; others are taken for a usual screen. */
export function sizeOf(image: SentImage): { readonly width: number; readonly height: number } {
  const head = Buffer.from(image.data.slice(0, 64), 'base64');
  const type = typeInBytes(image);
  if (type === 'image/png' && head.length >= 24) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (type === 'image/gif' && head.length >= 10) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  return { width: 1280, height: 720 };
}
