/** Says in one line how a file differs from what the model last saw of it, as far as that is still known. */
import { readFile } from 'node:fs/promises';
import type { Archive } from '../../base/ports.ts';
import { diffTexts } from '../../files/text-diff.ts';
import type { TextFile } from '../../files/text-file.ts';

const maxComparedBytes = 4 * 1024 * 1024;
const begin = 'It had changed since you last saw it';

/** `seenHash` is the SHA-256 of the file as the model saw it: a whole read of plain UTF-8 is archived under it. */
export async function describeSince(archive: Archive, seenHash: string, file: TextFile): Promise<string> {
  const stored = await archive.locate(seenHash);
  if (!stored || stored.bytes > maxComparedBytes || file.encoding !== 'utf-8') {
    return `${begin}; the old text was still there exactly once.`;
  }
  const diff = diffTexts('', await readFile(stored.file, 'utf8'), file.text);
  return `${begin} (before this edit: +${diff.added} -${diff.removed} between lines ${diff.firstLine} and ${diff.lastLine}).`;
}
