/**
 * Reads what an image is from its bytes. Invariant: what providers are known to refuse is refused here, by name and with
 * what to do: one such image in a conversation would have every further request of it refused.
 */
import { imageTypeOf, isWholeImage } from '@zerd/core/images/inspect';
import { type ImageType, imageWords, maxImageBytes, maxImageSide, typeName } from '@zerd/protocol/common/image-words';
import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import type { NewImage } from '../base/ports.ts';
import { bytesText, withFile } from './load-file.ts';

export type ImageRead =
  | ({ readonly kind: 'image' } & NewImage)
  /** For the model and for people: what is wrong with it and what to do. */
  | { readonly kind: 'unfit'; readonly message: string };

/** Undefined: it is no image that models are shown. */
export function readImage(name: string, bytes: Uint8Array): ImageRead | undefined {
  const type = imageTypeOf(bytes);
  if (type === undefined) return undefined;
  // Before it is looked through: one of 64 MiB in tiny parts held the daemon up for seconds.
  if (bytes.length > maxImageBytes) return tooHeavy(name, bytes.length);
  const size = isWholeImage(type, bytes) ? sizeOf(type, bytes) : undefined;
  if (size === undefined)
    return unfit(`${name} is broken: it begins as a ${typeName(type)} image, and not all of one is there`, again);
  if (Math.max(size.width, size.height) > maxImageSide)
    return unfit(
      `${name} is too large to be shown: ${size.width}x${size.height}, the limit is ${maxImageSide} pixels a side`,
      smaller,
    );
  return { kind: 'image', name, type, ...size, bytes };
}

/** In bytes, of a file that begins as an image; undefined: it does not, and no more of it was read. */
export async function sizeOfImage(real: string): Promise<number | undefined> {
  try {
    return await withFile(real, async (file) => {
      const found = await file.stat();
      if (!found.isFile()) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
      return imageTypeOf(buffer.subarray(0, bytesRead)) === undefined ? undefined : found.size;
    });
  } catch {
    // Whatever is in the way is met by whoever reads the file.
    return undefined;
  }
}

export function tooHeavy(name: string, bytes: number): ImageRead {
  return unfit(
    `${name} is too large to be shown: ${bytesText(bytes)}, the limit is ${bytesText(maxImageBytes)}`,
    smaller,
  );
}

const again = 'Make it again.';
const smaller = 'zerd does not scale images: make a smaller one, or show a part of it.';

function unfit(what: string, todo: string): ImageRead {
  return { kind: 'unfit', message: `${what}. ${todo}` };
}

const readers = { 'image/png': PNG, 'image/jpeg': JPG, 'image/gif': GIF, 'image/webp': WEBP } as const;

/** Where the size of a JPEG stands at the latest: behind a preview and a colour profile. */
const headBytes = 2 * 1024 * 1024;

/** Undefined: it says none. */
function sizeOf(type: ImageType, bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  try {
    const reader = readers[type];
    const head = bytes.subarray(0, headBytes);
    if (!reader.validate(head)) return undefined;
    const { width, height } = reader.calculate(head);
    return width > 0 && height > 0 ? { width, height } : undefined;
  } catch {
    // The library throws whatever broken bytes lead to.
    return undefined;
  }
}

export function imageFileWords({ bytes, ...image }: NewImage): string {
  return imageWords({ ...image, bytes: bytes.length });
}
