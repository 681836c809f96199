/** Finds the file that a command is, as a process that is started in a folder finds it. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Undefined: there is none that may be run. An empty part of `path` is the folder itself. */
export function findProgram(command: string, path: string, folder: string): string | undefined {
  if (command.includes('/')) return runnable(resolve(folder, command));
  for (const part of path.split(':')) {
    const found = runnable(resolve(folder, part, command));
    if (found !== undefined) return found;
  }
  return undefined;
}

function runnable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
