/** Does: reads archived images as base64, for requests that show them. */
import { readFile } from 'node:fs/promises';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { Archive } from './ports.ts';

/** Undefined: the body is gone. */
export function imageDataFrom(archive: Archive): (id: ArchiveId) => Promise<string | undefined> {
  return async (id) => {
    const found = await archive.locate(id);
    if (found === undefined) return undefined;
    return await readFile(found.file, 'base64').catch(() => undefined);
  };
}
