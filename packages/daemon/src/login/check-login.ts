/** What `zerd doctor` says of the start at login. Expected states are in order. */
import { existsSync } from 'node:fs';
import type { Env } from '@zerd/protocol/node/paths';
import { registeredRoots } from './registered.ts';

export function checkLogin(env: Env, root: string, unitFile: string) {
  const roots = registeredRoots(env);
  if (!roots.includes(root)) return { ok: true, says: 'The daemon starts with the first client, not at login.' };
  if (existsSync(unitFile)) return { ok: true, says: `The daemon starts at login, by ${unitFile}.` };
  const says = `The daemon is registered to start at login, but ${unitFile} is gone.`;
  return { ok: false, says, todo: 'Run `zerdd install --repo DIR` again, or `zerdd uninstall`.' };
}
