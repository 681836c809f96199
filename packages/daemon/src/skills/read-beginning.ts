/** Reads the beginning of a regular file as text. Anything else is never opened: a pipe would hang, a device could act. */

import { isUtf8 } from 'node:buffer';
import { lstat } from 'node:fs/promises';
import { describeFsFailure } from '../files/fs-failure.ts';
import { withFile } from '../files/load-file.ts';

export type Beginning =
  | { readonly ok: true; readonly text: string }
  /** Goes on from the file's name. */
  | { readonly ok: false; readonly problem: string };

export async function readBeginning(real: string, bytes: number): Promise<Beginning> {
  try {
    if (!(await lstat(real)).isFile()) return { ok: false, problem: 'is no regular file' };
    return await withFile(real, async (file) => {
      // What took its place meanwhile is not read either.
      if (!(await file.stat()).isFile()) return { ok: false, problem: 'is no regular file' };
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
      const begun = wholeLines(buffer.subarray(0, bytesRead), bytesRead === bytes);
      if (begun.includes(0) || !isUtf8(begun)) return { ok: false, problem: 'is no text in UTF-8' };
      return { ok: true, text: begun.toString('utf8') };
    });
  } catch (error) {
    const said = describeFsFailure(error, '');
    if (said === undefined) throw error;
    return { ok: false, problem: said.trim().replace(/\.$/, '') };
  }
}

/** A cut may fall inside a character. */
function wholeLines(bytes: Buffer, cut: boolean): Buffer {
  return cut ? bytes.subarray(0, bytes.lastIndexOf(10) + 1) : bytes;
}
