/**
 * Does: reads images that a text names as `@/tmp/shot.png` or `@~/shot.png`: the daemon itself reads no further than the
 * repository. What they are the daemon says, by their bytes.
 */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { GivenImages } from '@zerd/protocol/common/image';
import { maxImageBytes } from '@zerd/protocol/common/image-words';
import { mentionedPaths } from '@zerd/protocol/common/mentions';

/** Nothing where none is named. Rejects with what keeps one from being read. */
export async function outsideImages(text: string): Promise<{ readonly images?: GivenImages }> {
  const named = mentionedPaths(text).filter((path) => /^(\/|~\/).*\.(png|jpe?g|gif|webp)$/i.test(path));
  const images = (await Promise.all(named.map(imageAt))).filter((image) => image !== undefined);
  return images.length === 0 ? {} : { images };
}

/** Undefined: there is no such file, and the words stay words. */
async function imageAt(name: string): Promise<GivenImages[number] | undefined> {
  const path = name.startsWith('~/') ? join(homedir(), name.slice(2)) : name;
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  if (found.size > maxImageBytes)
    throw new Error(
      `${name} is too large to be shown: ${found.size} bytes, the limit is ${maxImageBytes}. Nothing was sent.`,
    );
  return { name, data: await readFile(path, 'base64') };
}
