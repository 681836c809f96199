/**
 * Keeps the notes of sessions as files, `<folder>/<session>.md`, private to the user. Invariant: a file is there as a
 * whole, old or new; nothing but a regular file is opened.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { NotesFiles } from '../base/memory-ports.ts';
import { replaceFile } from '../files/replace-file.ts';
import { storeFailed } from './failure.ts';
import { makePrivateFolder } from './folder.ts';

/** Larger ones are not loaded, and stay as they are. */
const mostBytes = 256 * 1024;

/** The folder is made with the first file. */
export function openNotesFiles(folder: string): NotesFiles {
  const place = (sessionId: string) => join(folder, `${sessionId}.md`);
  return {
    place,
    read: (sessionId) => readText(place(sessionId)),
    async write(sessionId, text) {
      const file = place(sessionId);
      try {
        await makePrivateFolder(folder);
        await replaceFile(file, text);
      } catch (error) {
        throw storeFailed(`The notes ${file} cannot be written`, error, 'The log holds them all the same.');
      }
    },
  };
}

async function readText(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    if (stats.size > mostBytes) throw tooLarge(file, stats.size);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function tooLarge(file: string, bytes: number): ZerdError {
  return new ZerdError(
    'invalid_params',
    `Not kept: the notes ${file} have ${bytes} bytes, and more than ${mostBytes} are not read. They were left as they are: shorten them, or remove the file to get back what was kept before.`,
  );
}
