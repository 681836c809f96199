/**
 * A folder with a fixed name under the system's temporary one, so that paths in requests are the same on every run:
 * private to this user, refused when somebody else made it, wiped before use, used by one bench at a time.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

export interface BenchFolder {
  readonly repository: string;
  readonly home: string;
  readonly config: string;
  readonly state: string;
  readonly runtime: string;
  remove(): void;
}

export function makeBenchFolder(name: string, files: ReadonlyMap<string, string>, temporary = tmpdir()): BenchFolder {
  const owned = join(temporary, `zerd-bench-${userInfo().uid}`);
  mkdirSync(owned, { recursive: true, mode: 0o700 });
  refuseStrangers(owned);
  const base = join(owned, name);
  refuseWhileRunning(base);
  rmSync(base, { recursive: true, force: true });
  const [repository, home, config, state, runtime] = ['repository', 'home', 'config', 'state', 'run'].map((part) =>
    join(base, part),
  );
  if (!repository || !home || !config || !state || !runtime) throw new Error('no folder names');
  for (const folder of [repository, home, config, state, runtime]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(base, 'pid'), String(process.pid));
  for (const [path, text] of files) writeFile(join(repository, path), text);
  return { repository, home, config, state, runtime, remove: () => rmSync(base, { recursive: true, force: true }) };
}

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Anybody may make a folder under /tmp: only one that is ours and closed to others is used. */
function refuseStrangers(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== userInfo().uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of this user: remove it and run the bench again`);
  }
}

function refuseWhileRunning(base: string): void {
  const pid = pidIn(base);
  if (pid !== undefined && pid !== process.pid && isAlive(pid)) {
    throw new Error(`${base} is in use by process ${pid}: wait until it has ended`);
  }
}

function pidIn(base: string): number | undefined {
  try {
    return Number(readFileSync(join(base, 'pid'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
