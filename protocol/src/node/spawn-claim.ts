/**
 * Keeps a crowd of clients from starting a crowd of daemons: whoever makes the claim file starts one, the others wait.
 * Only a courtesy: when a claim is lost or stolen two daemons start, and the kernel's lock leaves one.
 */
import { closeSync, openSync, rmSync, statSync, utimesSync } from 'node:fs';
import { types } from 'node:util';
import type { Clock } from './clock.ts';

/** A claim that was not renewed for as long belongs to a client that died. */
export const claimStaleMs = 3_000;

export interface SpawnClaim {
  /** To be called while the start goes on. */
  renew(): void;
  release(): void;
}

/** The claim, or undefined while another client holds it. The folder exists. */
export function takeSpawnClaim(file: string, clock: Clock): SpawnClaim | undefined {
  if (!create(file)) {
    if (!isStale(file, clock)) return undefined;
    rmSync(file, { force: true });
    if (!create(file)) return undefined;
  }
  return {
    renew: () => touch(file),
    release: () => rmSync(file, { force: true }),
  };
}

function create(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function isStale(file: string, clock: Clock): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Math.abs(clock.wall() - found.mtimeMs) > claimStaleMs;
}

function touch(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch (error) {
    // Stolen and released by another: then two daemons start, and one stays.
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === code;
}
