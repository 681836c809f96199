/** The host of commands as a process of its own, made from the sources as they are now. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type OpenHost, openHostProcess } from '@zerd/daemon/jobs/host-process';

const repository = join(import.meta.dirname, '../../../..');

/** `top`: a folder of the test's own, in which the program is put. */
export function hostProgram(top: string): OpenHost {
  const path = join(top, 'command-host.mjs');
  const source = join(repository, 'packages/daemon/src/processes/host/main.ts');
  const options = [source, `--outfile=${path}`, '--bundle', '--platform=node', '--format=esm', '--target=node20'];
  execFileSync(join(repository, 'node_modules/.bin/esbuild'), [...options, '--log-level=error']);
  return openHostProcess(join(top, 'jobs'), () => path);
}
