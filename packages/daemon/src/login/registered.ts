/** The repositories whose daemons start at login: a file in the user's state folder that people may read and mend. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import { type Env, stateHome } from '@zerd/protocol/node/paths';
import { z } from 'zod';

const schema = z.object({ roots: z.array(z.string()) });

export function registeredFile(env: Env): string {
  return join(stateHome(env), 'zerd', 'login.json');
}

/** Real paths, in the order in which they were registered. A file that cannot be read is said, and never written over. */
export function registeredRoots(env: Env): readonly string[] {
  const file = registeredFile(env);
  const text = textOf(file);
  if (text === undefined) return [];
  const parsed = schema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data.roots;
  throw new ZerdError('config_broken', `${file} is not as zerd writes it, and was left alone. Mend or remove it.`);
}

/** Whole or as before, mode 0600. */
export function registerRoots(env: Env, roots: readonly string[]): void {
  const file = registeredFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ roots }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
