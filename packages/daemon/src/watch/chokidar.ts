/**
 * Does: opens chokidar for single files. It is loaded with the first file that is followed: an idle daemon never reads it.
 */
import type { OpenFileWatch } from '../base/ports.ts';
import { openFileWatch } from './file-watch.ts';

/** `root` is a real path. */
export function createFileWatches(root: string): OpenFileWatch {
  const open = async () => {
    const { FSWatcher } = await import('chokidar');
    return new FSWatcher({ ignoreInitial: true, followSymlinks: false });
  };
  return (onFailure) => openFileWatch({ root, open, onFailure });
}
