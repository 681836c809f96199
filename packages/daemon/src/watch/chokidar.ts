/**
 * Does: opens chokidar for single files. It is loaded with the first file that is followed: an idle daemon never reads it.
 */
import { loadLate } from '@zerd/protocol/node/load-late';
import type { OpenFileWatch } from '../base/ports.ts';
import { openFileWatch } from './file-watch.ts';

const loadChokidar = loadLate(() => import('chokidar'));

/** `root` is a real path. */
export function createFileWatches(root: string): OpenFileWatch {
  const open = async () => {
    const { FSWatcher } = await loadChokidar();
    return new FSWatcher({ ignoreInitial: true, followSymlinks: false });
  };
  return (onFailure) => openFileWatch({ root, open, onFailure });
}
