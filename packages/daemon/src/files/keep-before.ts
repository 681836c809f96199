/** Keeps what a file holds before it is changed, so that the change can be taken back. */
import type { SeenFile } from '@zerd/protocol/common/event';
import type { Archive } from '../base/ports.ts';

/** Each change of a larger one would take as much again. */
const mostKept = 8 * 1_048_576;

/** `before` of the change, once its content is durable; nothing of a file too large to keep. */
export async function keepBefore(
  archive: Pick<Archive, 'put'>,
  { bytes, hash }: { readonly bytes: Uint8Array; readonly hash: string },
): Promise<Pick<SeenFile, 'before'>> {
  if (bytes.length > mostKept) return {};
  await archive.put(bytes);
  return { before: hash };
}
