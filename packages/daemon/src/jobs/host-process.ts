/**
 * Starts the process under which commands run, and speaks with it. Invariants: it has nothing of the daemon's environment
 * and no file of the repository open; it stays when the daemon goes, however that goes.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from '../processes/host/orders.ts';

export interface HostLink {
  /** False: the host is gone. */
  send(order: Order): boolean;
  /** Settles when the host is gone. */
  readonly gone: Promise<void>;
  /** No order follows: the host ends when nothing that runs under it is left. */
  close(): void;
}

export type OpenHost = (onReport: (report: Report) => void) => HostLink;

/** It keeps little: a small heap is enough, and more would only be held. */
const nodeOptions = ['--max-semi-space-size=1', '--max-old-space-size=64'];

/** `folder`: of the jobs; it stands in the arguments, so that people see whose host it is. `program`: what is run. */
export function openHostProcess(folder: string, program: () => string = hostPath): OpenHost {
  return (onReport) => {
    const env = { PATH: '/usr/bin:/bin' };
    const child = spawn(process.execPath, [...nodeOptions, program(), folder], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.unref();
    let open = true;
    const gone = new Promise<void>((resolve) => {
      const settle = () => {
        open = false;
        resolve();
      };
      child.once('exit', settle).once('error', settle);
    });
    // Out of files or processes: there are no streams, and it is gone from the beginning.
    if (child.pid === undefined) return { gone, send: () => false, close() {} };
    // A write to a host that was killed this moment.
    child.stdin.on('error', () => {});
    unref(child.stdin);
    unref(child.stdout);
    createInterface({ input: child.stdout }).on('line', (line) => onReport(JSON.parse(line) as Report));
    return {
      gone,
      send: (order) => {
        if (open) child.stdin.write(`${JSON.stringify(order)}\n`);
        return open;
      },
      close: () => void child.stdin.end(),
    };
  };
}

/** Beside the file of this module: both are bundled into one folder. */
function hostPath(): string {
  const here = fileURLToPath(import.meta.url);
  const path = join(dirname(here), `command-host${extname(here)}`);
  if (!existsSync(path)) throw new Error(`${path} is missing: no command can run. Install zerd again.`);
  return path;
}

/** Waiting for a host keeps no daemon alive. */
function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
