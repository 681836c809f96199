/**
 * Does: takes what goes with a message as images: those that a client sends, and files of the workspace that the text
 * names as `@path` and that are images by their bytes. Invariant: nothing is kept of a message with an image that cannot
 * be shown; the message says which, why, and what to do.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { GivenImages, Image } from '@zerd/protocol/common/image';
import { maxImageBytes, maxImageBytesAtOnce, maxImagesAtOnce } from '@zerd/protocol/common/image-words';
import { mentionedPaths } from '@zerd/protocol/common/mentions';
import type { NewImage, Store } from '../../base/ports.ts';
import type { ResolvedModel } from '../../config/models.ts';
import { type ImageRead, readImage, sizeOfImage, tooHeavy } from '../../files/image-file.ts';
import { bytesText, loadFile } from '../../files/load-file.ts';
import { resolvePath } from '../../files/resolve.ts';
import { keepImage, onlyOnce } from './keep-images.ts';

export interface Said {
  readonly text: string;
  readonly images?: GivenImages;
}

/** `root` undefined: nothing of the repository may be read (I7). `model`: the one that is to answer. Rejects with invalid_params. */
export async function attachImages(
  { root, store }: { readonly root: string | undefined; readonly store: Pick<Store, 'archive'> },
  { text, images = [] }: Said,
  model: Pick<ResolvedModel, 'images'>,
): Promise<readonly Image[]> {
  const given = images.map(({ name, data }) => fitting(readImage(name, Buffer.from(data, 'base64')) ?? none(name)));
  const found = [...given, ...(root === undefined ? [] : await mentioned(root, text))];
  requireFew(found);
  // What is sent and named too is shown once.
  return onlyOnce(await Promise.all(found.map((image) => keepImage(store.archive, image, model))));
}

async function mentioned(root: string, text: string): Promise<readonly NewImage[]> {
  const read = await Promise.all(mentionedPaths(text).map((path) => imageAt(root, path)));
  return read.flatMap((image) => (image === undefined ? [] : [fitting(image)]));
}

/** Undefined: it is no image, or nothing that may be read: then the model sees the path alone. */
async function imageAt(root: string, mention: string): Promise<ImageRead | undefined> {
  const target = await resolvePath(root, mention);
  if (!target.ok || !target.exists) return undefined;
  const { real, path } = target;
  const bytes = await sizeOfImage(real);
  if (bytes === undefined) return undefined;
  // A message may name fifty: together they would fill the memory.
  if (bytes > maxImageBytes) return tooHeavy(path, bytes);
  const file = await loadFile(real, path, never);
  if (file.ok) return readImage(path, file.bytes);
  return { kind: 'unfit', message: file.message };
}

const never = new AbortController().signal;

function fitting(image: ImageRead): NewImage {
  if (image.kind === 'unfit') throw refused(image.message);
  const { kind: _, ...fit } = image;
  return fit;
}

function none(name: string): ImageRead {
  return { kind: 'unfit', message: `${name} is no image that models are shown: PNG, JPEG, GIF and WebP are.` };
}

function requireFew(images: readonly NewImage[]): void {
  const bytes = images.reduce((sum, image) => sum + image.bytes.length, 0);
  if (images.length > maxImagesAtOnce)
    throw refused(`The message brings ${images.length} images; ${maxImagesAtOnce} at once are the limit.`);
  if (bytes > maxImageBytesAtOnce)
    throw refused(
      `The images of the message have ${bytesText(bytes)}; ${bytesText(maxImageBytesAtOnce)} are the limit.`,
    );
}

function refused(why: string): ZerdError {
  return new ZerdError('invalid_params', `${why} Nothing of the message was kept.`);
}
