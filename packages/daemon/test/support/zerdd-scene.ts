/** A repository and the environment of a daemon of its own, and how both go again with all that ran in them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesWith } from '../../../../test/support/left-alive.ts';

export interface ZerddScene {
  /** Only what belongs to the scene has this path in its environment or arguments. */
  readonly base: string;
  readonly root: string;
  readonly env: Record<string, string>;
}

export function makeScene(): ZerddScene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'zd-')));
  for (const folder of ['repo', 'run', 'home']) mkdirSync(join(base, folder));
  const env = { HOME: join(base, 'home'), XDG_RUNTIME_DIR: join(base, 'run'), PATH: process.env.PATH ?? '' };
  return { base, root: join(base, 'repo'), env };
}

export async function removeScene({ base }: ZerddScene): Promise<void> {
  for (const { pid } of processesWith(base)) kill(pid);
  while (processesWith(base).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  rmSync(base, { recursive: true, force: true });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
