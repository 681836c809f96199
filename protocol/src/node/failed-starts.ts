/**
 * Remembers the starts that failed, so that clients that come back by themselves do not start a daemon that cannot live
 * again and again (F-36). Invariant: the last failure is told each time in its own words; nothing is held back for longer
 * than a minute, and whoever starts `zerdd` by hand is not held back at all.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ErrorCode, errorTable, ZerdError } from '../common/errors.ts';

interface FailedStarts {
  /** Milliseconds of the epoch, oldest first. */
  readonly at: readonly number[];
  readonly code: ErrorCode;
  readonly message: string;
}

const spanMs = 600_000;
const most = 5;
const pauseMs = 60_000;

/** The last failure, when there were so many lately that none is to be tried now. */
export function heldBack(file: string, now: number): ZerdError | undefined {
  const failed = read(file);
  const recent = failed?.at.filter((at) => at <= now && now - at < spanMs) ?? [];
  const last = recent.at(-1);
  if (failed === undefined || last === undefined || recent.length < most || now - last >= pauseMs) return undefined;
  const left = Math.ceil((pauseMs - (now - last)) / 1_000);
  const why = `${recent.length} starts failed within ten minutes, so no other is tried for ${left} s (\`zerdd\` tries at once).`;
  return new ZerdError(failed.code, `${failed.message} ${why}`);
}

/** The last failure of the last ten minutes. */
export function failedLately(file: string, now: number): ZerdError | undefined {
  const failed = read(file);
  const last = failed?.at.at(-1);
  if (failed === undefined || last === undefined || last > now || now - last >= spanMs) return undefined;
  return new ZerdError(failed.code, failed.message);
}

export function noteFailedStart(file: string, { code, message }: ZerdError, now: number): void {
  const before = read(file)?.at.filter((at) => at <= now && now - at < spanMs) ?? [];
  const failed: FailedStarts = { at: [...before, now].slice(-most), code, message };
  try {
    writeFileSync(file, JSON.stringify(failed), { mode: 0o600 });
  } catch {
    // A disk that takes nothing is mostly why it failed, and that is what is told.
  }
}

export function forgetFailedStarts(file: string): void {
  rmSync(file, { force: true });
}

function read(file: string): FailedStarts | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as FailedStarts;
    return Array.isArray(value.at) && typeof value.message === 'string' && Object.hasOwn(errorTable, value.code)
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
