/**
 * Does: registers repositories whose daemons start at login, and takes them off again. Invariant: where nothing can start
 * at login nothing is written, and the answer says that daemons start on demand all the same.
 */
import { realpathSync } from 'node:fs';
import type { Env } from '@zerd/protocol/node/paths';
import type { LoginManager } from './manager.ts';
import { registeredRoots, registerRoots } from './registered.ts';
import type { LoginProgram } from './unit.ts';

export interface LoginAnswer {
  readonly code: 0 | 1;
  readonly says: readonly string[];
}

export interface LoginParts {
  readonly env: Env;
  readonly manager: LoginManager;
  /** The file that runs zerdd. */
  readonly zerdd: string;
}

/** `roots` are real paths. */
export async function install({ env, manager, zerdd }: LoginParts, roots: readonly string[]): Promise<LoginAnswer> {
  const why = await manager.unavailable();
  if (why !== undefined) {
    const stays = 'Nothing was changed. Daemons start by themselves when a client needs one, as before.';
    return { code: 1, says: [`The start at login was not set up: ${why}.`, stays] };
  }
  const before = registeredRoots(env);
  const all = [...new Set([...before, ...roots])];
  registerRoots(env, all);
  try {
    await manager.enable(program(env, zerdd));
  } catch (error) {
    registerRoots(env, before);
    throw error;
  }
  return { code: 0, says: [`At login ${manager.name} starts zerd for:`, ...listed(all), `unit ${manager.file}`] };
}

/** `roots` undefined: all of them, and with them the supervisor itself. */
export async function uninstall(
  { env, manager }: LoginParts,
  roots: readonly string[] | undefined,
): Promise<LoginAnswer> {
  const before = registeredRoots(env);
  const left = roots === undefined ? [] : before.filter((root) => !roots.includes(root));
  if (left.length === before.length && left.length > 0)
    return { code: 1, says: ['None of these was registered. Registered are:', ...listed(before)] };
  registerRoots(env, left);
  if (left.length > 0) {
    await manager.reload();
    return { code: 0, says: ['Registered are still:', ...listed(left)] };
  }
  await manager.disable();
  return { code: 0, says: ['Nothing of zerd starts at login any more; daemons start when a client needs one.'] };
}

function listed(roots: readonly string[]): readonly string[] {
  return roots.map((root) => `  ${root}`);
}

/** Where zerd's own folders are, and what lets `systemd-notify` be found. */
const handedOn = ['ZERD_CONFIG_DIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'] as const;

function program(env: Env, zerdd: string): LoginProgram {
  const kept = handedOn.flatMap((name) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { node: realpathSync(process.execPath), zerdd, env: Object.fromEntries(kept) };
}
