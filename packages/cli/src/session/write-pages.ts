/** Writes what was asked for into a file that the user named, over what stood in it. Says where it is. */
import { open } from 'node:fs/promises';
import { ZerdError } from '@zerd/protocol/common/errors';

/** Settles with what to say of it. Rejects with invalid_params where the file cannot be written. */
export async function writePages(
  pages: AsyncIterable<string | Uint8Array> | Iterable<string>,
  file: string,
): Promise<string> {
  const handle = await open(file, 'w').catch((error: unknown) => {
    throw notWritten(file, error);
  });
  try {
    for await (const page of pages) {
      await handle.writeFile(page).catch((error: unknown) => {
        throw notWritten(file, error);
      });
    }
  } finally {
    await handle.close();
  }
  return `Written to ${file}.`;
}

function notWritten(file: string, error: unknown): ZerdError {
  const code = String((error as { readonly code?: unknown }).code);
  return new ZerdError('invalid_params', `${file} cannot be written (${code}). Nothing else was changed.`);
}
