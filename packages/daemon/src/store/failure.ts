/** Says what the disk or SQLite refused. Invariant: whoever reads it learns what was kept and what to do next. */
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { isFullCode } from '../base/full-disk.ts';

/** 'ENOSPC', 'SQLITE_FULL'; '' for what is no failure of the system. better-sqlite3's errors are no native errors. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

export function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message);
}

/** A page of it is not what was written. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

const damaged =
  'The database is damaged, and asking again will not help. Write what you need with `zerd export SESSION`, then run `zerdd stop`: the next start moves it aside.';

/** The error as store_failed, or as disk_full (F-37); a ZerdError stays what it is. `kept` ends the sentence. */
export function storeFailed(what: string, error: unknown, kept: string): ZerdError {
  if (isZerdError(error)) return error;
  const code = codeOf(error);
  const reason = code === '' ? messageOf(error) : `${messageOf(error)} (${code})`;
  return new ZerdError(
    isFullCode(code) ? 'disk_full' : 'store_failed',
    `${what}: ${reason}. ${isDamage(error) ? damaged : kept}`,
    { cause: error },
  );
}
