/**
 * Keeps the contents of files as the model saw or left them, and finds them again: what a later read is compared with.
 * A file too large to keep is only ever shown whole.
 */
import { readFile } from 'node:fs/promises';
import { basesWanted } from '@zerd/core/context/repeat/known';
import type { SessionState } from '@zerd/core/session/state';
import { linesOf, toLf } from '@zerd/core/text/lines';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { Archive, FileContent } from '../base/ports.ts';
import { shownTextOf } from '../files/shown-text.ts';

const maxCopyBytes = 1024 * 1024;

/** Undefined: not kept. */
export async function keepCopy(archive: Archive, { bytes }: FileContent): Promise<ArchiveId | undefined> {
  return bytes.length > maxCopyBytes ? undefined : archive.put(bytes);
}

/**
 * The id under which recall shows the lines as the model was shown them: a notebook's cells, UTF-16 as text. Undefined:
 * not kept.
 */
export async function keepShownText(archive: Archive, content: FileContent): Promise<ArchiveId | undefined> {
  const copy = await keepCopy(archive, content);
  if (copy === undefined || toLf(Buffer.from(content.bytes).toString()) === content.text) return copy;
  return archive.put(content.text);
}

/** The earlier contents with which one of hash `hash` may have to be compared, as lines. */
export async function loadBases(
  archive: Archive,
  state: SessionState,
  path: string,
  hash: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const bases = new Map<string, readonly string[]>();
  for (const wanted of basesWanted(state, path, hash)) {
    const stored = await archive.locate(wanted);
    if (stored === undefined || stored.bytes > maxCopyBytes) continue;
    const text = shownTextOf(path, await readFile(stored.file));
    if (text !== undefined) bases.set(wanted, linesOf(text));
  }
  return bases;
}
