/** Writes `zerdd.json`: who the daemon is, for people, `zerdd list` and other versions. Whole or absent, mode 0600. */
import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { registrationPath } from '@zerd/protocol/node/paths';
import type { Registration } from '@zerd/protocol/node/registration';
import { type OwnFile, ownFile } from './own-file.ts';

export function register(runtime: string, registration: Registration): OwnFile {
  const path = registrationPath(runtime);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(registration)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return ownFile(path);
}
