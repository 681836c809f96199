/**
 * Does: watches the one file of rules that lies in no visible folder, `info/exclude` of the repository; a worktree has
 * that of its main repository. Invariant: nothing of it is opened before it is there, and its failure ends nothing.
 */
import { existsSync, type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';

export interface ExcludeWatch {
  /** Opens the watch when the file's folder has come to be. Cheap: called often. */
  ensure(): void;
  close(): void;
}

export function openExcludeWatch(root: string, onChange: () => void): ExcludeWatch {
  let watcher: FSWatcher | undefined;

  function close(): void {
    watcher?.close();
    watcher = undefined;
  }

  function ensure(): void {
    const folder = watcher ? undefined : infoFolder(root);
    if (folder === undefined) return;
    try {
      watcher = watch(folder, {}, (_event, name) => {
        if (name === 'info') close();
        onChange();
      });
      watcher.on('error', close);
    } catch {
      // Without a watch left the folders fail too, and they tell.
    }
  }

  return { ensure, close };
}

function infoFolder(root: string): string | undefined {
  const git = join(root, '.git');
  const folder = join(readLink(git, /^gitdir: (.+)$/m, root) ?? git);
  const common = readLink(join(folder, 'commondir'), /^(.+)$/m, folder) ?? folder;
  const info = join(common, 'info');
  return existsSync(info) ? info : undefined;
}

/** The path that a small file names; undefined: it is none. */
function readLink(file: string, form: RegExp, from: string): string | undefined {
  try {
    // A named pipe would be waited for.
    if (!statSync(file).isFile()) return undefined;
    const [, path] = form.exec(readFileSync(file, 'utf8')) ?? [];
    return path === undefined ? undefined : resolve(from, path);
  } catch {
    return undefined;
  }
}
