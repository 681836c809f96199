/**
 * Does: archives the images of a result and says which of them the model is shown: those that the prompt shows already
 * are pointed at (I5). Invariant: what the log names is in the archive.
 */
import { imageShown } from '@zerd/core/context/image-shown';
import { imageTokens } from '@zerd/core/model/image-tokens';
import { clipUtf8 } from '@zerd/core/text/utf8';
import type { CallId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { Archive, NewImage } from '../../base/ports.ts';
import type { ResolvedModel } from '../../config/models.ts';
import type { TurnContext } from '../turn-context.ts';

export interface KeptImages {
  readonly images: readonly Image[];
  /** What the result says of those that it does not bring again. */
  readonly notes: readonly string[];
  readonly leansOn: readonly CallId[];
}

export async function keepImages(turn: TurnContext, found: readonly NewImage[] = []): Promise<KeptImages> {
  const kept = onlyOnce(await Promise.all(found.map((image) => keepImage(turn.archive, image, turn.model))));
  const known = kept.map((image) => imageShown(turn.state(), image.archiveId));
  return {
    images: kept.filter((_, i) => known[i] === undefined),
    notes: known.flatMap((shown) => (shown === undefined ? [] : [`[it is the image of ${shown.where}, above]`])),
    leansOn: known.flatMap((shown) => shown?.leansOn ?? []),
  };
}

/** What comes twice at once is shown once. */
export function onlyOnce(images: readonly Image[]): readonly Image[] {
  return [...new Map(images.toReversed().map((image) => [image.archiveId, image])).values()].toReversed();
}

/** Rejects with store_failed. */
export async function keepImage(
  archive: Archive,
  { name, type, width, height, bytes }: NewImage,
  { images: rule }: Pick<ResolvedModel, 'images'>,
): Promise<Image> {
  const archiveId = await archive.put(bytes);
  const tokens = rule === null ? 0 : imageTokens(rule, { width, height });
  return { archiveId, name: oneLine(name), type, width, height, bytes: bytes.length, tokens };
}

/** It stands in lines for the model and for people, and is nobody's to end them. */
function oneLine(name: string): string {
  return clipUtf8(name.replace(/[\p{Cc}\s]+/gu, ' ').trim(), 200);
}
