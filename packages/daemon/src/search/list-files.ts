/** Lists files as ripgrep would search them. Invariant: one name at a time, whatever bytes it holds. */
import { runRipgrep } from '../processes/ripgrep.ts';
import { withoutDot } from './scope.ts';

export interface Listing {
  readonly root: string;
  /** './' and a folder of the root. */
  readonly target: string;
  readonly flags: readonly string[];
  readonly signal: AbortSignal;
  /** Gets each path relative to the root; 'stop' ends the listing. */
  readonly onPath: (path: string) => 'go' | 'stop';
}

export async function listFiles({ root, target, flags, signal, onPath }: Listing): Promise<void> {
  let rest = Buffer.alloc(0);
  const onOutput = (chunk: Buffer): 'go' | 'stop' => {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
      if (onPath(withoutDot(bytes.subarray(at, end).toString('utf8'))) === 'stop') return 'stop';
      at = end + 1;
    }
    rest = bytes.subarray(at);
    return 'go';
  };
  await runRipgrep({ args: ['--files', '--null', ...flags, '--', target], cwd: root, signal, onOutput });
}

/** Whether a search below `target` has anything to look at without being told more. */
export async function hasVisibleFile(root: string, target: string, signal: AbortSignal): Promise<boolean> {
  let found = false;
  const onPath = (): 'stop' => {
    found = true;
    return 'stop';
  };
  await listFiles({ root, target, flags: [], signal, onPath });
  return found;
}

export function hasHiddenName(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('.');
}

/** Those of `paths` that ripgrep searches without being told more. */
export async function visibleAmong(root: string, paths: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const visible = new Set<string>();
  const wanted = new Set(paths);
  const onPath = (path: string): 'go' => {
    if (wanted.has(path)) visible.add(path);
    return 'go';
  };
  for (const folder of new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))) {
    await listFiles({ root, target: `./${folder}`, flags: ['--max-depth', '1'], signal, onPath });
  }
  return visible;
}
