/** A program for a test: starts programs while no further file can be opened, and prints what came of each. */
import { closeSync, openSync } from 'node:fs';
import { isOutOfFiles } from '@zerd/daemon/base/full-disk';
import { openHostProcess } from '@zerd/daemon/jobs/host-process';
import { runRipgrep } from '@zerd/daemon/processes/ripgrep';

async function startAll(): Promise<void> {
  const wish = { args: ['--version'], cwd: '/', signal: new AbortController().signal, onOutput: () => 'go' as const };
  const files = takeAll();
  const searching = runRipgrep(wish).then(
    () => 'ran',
    (error: unknown) => (isOutOfFiles(error) ? 'out of files' : String(error)),
  );
  const host = openHostProcess('/nowhere', () => '/nowhere')(() => {});
  const sent = host.send({ kind: 'background', jobId: 'job_1' });
  const found = { search: await searching, sent, gone: await host.gone.then(() => true) };
  for (const file of files) closeSync(file);
  process.stdout.write(JSON.stringify({ ...found, again: (await runRipgrep(wish)).code }));
}

function takeAll(): readonly number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    return files;
  }
}

void startAll();
