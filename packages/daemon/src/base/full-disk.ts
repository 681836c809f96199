/** Says whether something failed because the disk is full (F-37), or files run out, and words what then is waited for. */
import { isZerdError } from '@zerd/protocol/common/errors';

/** SQLite's own word, and the system's for a disk and for the share of it that a user may fill. */
const fullCodes: ReadonlySet<string> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

export function isFullCode(code: string): boolean {
  return fullCodes.has(code);
}

/** Whether it is told as disk_full, or still is as the system or SQLite said it. */
export function isDiskFull(error: unknown): boolean {
  if (isZerdError(error)) return error.code === 'disk_full';
  return typeof error === 'object' && error !== null && 'code' in error && isFullCode(String(error.code));
}

const tooManyFiles: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Too many files are open, here or on the machine: others close theirs (F-42). Also what is told of it as store_failed. */
export function isOutOfFiles(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && tooManyFiles.has(String(error.code))) return true;
  return 'cause' in error && isOutOfFiles(error.cause);
}

/** As the wait for room, where it is files that are short. */
export function waitForFiles(what: string): string {
  return `a file that may be opened, for ${what}: too many are open`;
}

/** As `daemon/status` and every client show it, as a wait that blocks its session. */
export function waitForRoom(what: string, folder: string | undefined): string {
  return `room on the disk: ${what}${folder === undefined ? '' : ` in ${folder}`}`;
}

/** How long room is waited for: as long as a person is. */
export const roomPatienceMs = 24 * 60 * 60_000;
