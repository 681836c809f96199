/** Tells a client that its settings are not those of the daemon: the file is chosen when a daemon starts. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { configFolder, type Env } from '@zerd/protocol/node/paths';

const names = ['ZERD_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME'];

/** `file`: the daemon's. `env`: the client's; one that says nothing of folders has none of its own. */
export function folderWarnings(file: string, env: Env): readonly string[] {
  if (!names.some((name) => env[name])) return [];
  const [own, its] = [configFolder(env), dirname(file)];
  if (own === its || realPath(own) === realPath(its)) return [];
  return [`${file} is in force, not ${own}: the daemon was started with it. After \`zerdd stop\` yours is.`];
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
