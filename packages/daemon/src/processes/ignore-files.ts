/**
 * Refuses a run of ripgrep that would wait or read for ever: it opens the ignore files of a folder and of those around it,
 * whatever they are. One deeper in the tree is met by the deadline of the search, or by what ripgrep may hold in memory.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';

const names = ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'];

/** Throws invalid_params. */
export function refuseEndless(folder: string): void {
  for (const at of [folder, ...foldersAround(folder)]) {
    const endless = names.map((name) => join(at, name)).find(isEndless);
    if (endless === undefined) continue;
    const message = `${endless} is a pipe or a device: to read it would not end. Nothing was searched. Remove it, or put a file in its place.`;
    throw new ZerdError('invalid_params', message);
  }
}

function foldersAround(folder: string): readonly string[] {
  const around = dirname(folder);
  return around === folder ? [] : [around, ...foldersAround(around)];
}

/** Links are followed, as ripgrep does. `/dev/null` is how an ignore file is turned off. */
function isEndless(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.isFIFO() || stats.isCharacterDevice()) && realpathSync(path) !== '/dev/null';
  } catch {
    return false;
  }
}
