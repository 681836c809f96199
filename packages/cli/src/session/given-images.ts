/** Does: reads the files of `--image`, as the daemon takes them. What they are the daemon says, by their bytes. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { GivenImages } from '@zerd/protocol/common/image';
import { maxImageBytes, maxImagesAtOnce } from '@zerd/protocol/common/image-words';

/** Nothing where none is given. Rejects with invalid_params. */
export async function imagesFrom(
  files: readonly string[] | undefined,
  cwd: () => string,
): Promise<{ readonly images?: GivenImages }> {
  if (files === undefined || files.length === 0) return {};
  if (files.length > maxImagesAtOnce)
    throw new ZerdError(
      'invalid_params',
      `${files.length} images were given; ${maxImagesAtOnce} at once are the limit. Nothing was sent.`,
    );
  return { images: await Promise.all(files.map((file) => imageFrom(file, resolve(cwd(), file)))) };
}

async function imageFrom(name: string, path: string): Promise<GivenImages[number]> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw unreadable(name, 'it is no file');
    if (found.size > maxImageBytes)
      throw unreadable(name, `it has ${found.size} bytes, and ${maxImageBytes} are the limit. Make a smaller one`);
    return { name, data: await readFile(path, 'base64') };
  } catch (error) {
    if (error instanceof ZerdError) throw error;
    throw unreadable(
      name,
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : String(error),
    );
  }
}

function unreadable(name: string, why: string): ZerdError {
  return new ZerdError('invalid_params', `The image ${name} cannot be shown: ${why}. Nothing was sent.`);
}
