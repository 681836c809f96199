/** What the writing of one file takes and gives, and the ways in which it is refused. */
import type { Archive } from '../base/ports.ts';

export interface WriteWish {
  /** The resolved path; every folder on the way is real. */
  readonly real: string;
  /** Its name in messages. */
  readonly path: string;
  readonly bytes: Buffer;
  /** SHA-256 that the file must have until it is replaced; undefined: there must be none. */
  readonly expected: string | undefined;
  readonly archive: Pick<Archive, 'put'>;
  readonly signal: AbortSignal;
  /** Named crash points. */
  readonly onStep?: (step: WriteStep) => void | Promise<void>;
}

/** `prepared`: the new bytes are safe beside the target. `archived`: the old ones are, before writing in place. */
export type WriteStep = 'prepared' | 'archived' | 'replaced';

export type Written =
  /** `madeFolders`: how many around it, the innermost ones. */
  { readonly ok: true; readonly hash: string; readonly note?: string; readonly madeFolders?: number } | NotWritten;

/** Nothing was changed, unless the message says otherwise. */
export interface NotWritten {
  readonly ok: false;
  readonly interrupted: boolean;
  readonly message: string;
}

export function readOnly(path: string, mode: number): NotWritten {
  const octal = (mode & 0o777).toString(8).padStart(3, '0');
  return refusal(
    `${path} is read-only (mode ${octal}). Nothing was changed. If it should change, make it writable first (chmod u+w).`,
  );
}

export function changed(path: string): NotWritten {
  return refusal(`${path} was changed by somebody else at this very moment. Nothing was written. Read it again.`);
}

function refusal(message: string): NotWritten {
  return { ok: false, interrupted: false, message };
}

export function interrupted(path: string): NotWritten {
  return { ok: false, interrupted: true, message: `${path} was not changed: interrupted.` };
}
