/**
 * Tells by its bytes which image a file is, whatever its name, and whether all of it is there: a provider refuses a
 * request for one image that breaks off. Pure. Invariant: reads each part once; never beyond the end.
 */
import type { ImageType } from '@zerd/protocol/common/image-words';

/** Undefined: none that models are shown. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  if (begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (begins(bytes, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (/^GIF8[79]a/.test(ascii(bytes, 0, 6))) return 'image/gif';
  return ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP' ? 'image/webp' : undefined;
}

export function isWholeImage(type: ImageType, bytes: Uint8Array): boolean {
  return wholes[type](bytes);
}

const wholes: Readonly<Record<ImageType, (bytes: Uint8Array) => boolean>> = {
  'image/png': isWholePng,
  'image/jpeg': isWholeJpeg,
  'image/gif': isWholeGif,
  'image/webp': (bytes) => bytes.length >= 8 + littleEndian(bytes, 4, 4),
};

/** Chunks of length, name, data and check sum, from IHDR to IEND. */
function isWholePng(bytes: Uint8Array): boolean {
  let data = false;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bigEndian(bytes, at, 4)) {
    const name = ascii(bytes, at + 4, 4);
    if (name === 'IEND') return data;
    if (at === 8 && name !== 'IHDR' && name !== 'CgBI') return false;
    data ||= name === 'IDAT';
  }
  return false;
}

/** Segments up to the scan, and the end behind it: a thumbnail in front has an end of its own. */
function isWholeJpeg(bytes: Uint8Array): boolean {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xda) return endsAfter(bytes, at);
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, bigEndian(bytes, at + 2, 2));
  }
  return false;
}

function endsAfter(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at > from; at--) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
}

/** Blocks up to the trailer, at least one of them an image. */
function isWholeGif(bytes: Uint8Array): boolean {
  let image = false;
  for (let at = 13 + colours(bytes[10] ?? 0); at < bytes.length; ) {
    const kind = bytes[at];
    if (kind === 0x3b) return image;
    if (kind !== 0x21 && kind !== 0x2c) return false;
    image ||= kind === 0x2c;
    at = afterBlocks(bytes, kind === 0x21 ? at + 2 : at + 11 + colours(bytes[at + 9] ?? 0));
  }
  return false;
}

/** Bytes of the table that the flags announce. */
function colours(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function afterBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}

function begins(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}

// Plain loops: a hostile file has hundreds of thousands of parts.
function ascii(bytes: Uint8Array, from: number, length: number): string {
  let text = '';
  for (let at = from; at < Math.min(from + length, bytes.length); at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

function bigEndian(bytes: Uint8Array, from: number, length: number): number {
  let number = 0;
  for (let at = from; at < Math.min(from + length, bytes.length); at++) number = number * 256 + (bytes[at] ?? 0);
  return number;
}

function littleEndian(bytes: Uint8Array, from: number, length: number): number {
  let number = 0;
  for (let at = Math.min(from + length, bytes.length) - 1; at >= from; at--) number = number * 256 + (bytes[at] ?? 0);
  return number;
}
