/** Runs the built programs in a bench's private folder, and asks its daemon. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type Json } from '../wire.ts';
import type { BenchFolder } from './private-folder.ts';

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settles with its standard output; rejects when it ends with another code than 0. */
export async function runZerd(folder: BenchFolder, bin: 'zerd' | 'zerdd', args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startZerd(folder, bin, args);
  if (code !== 0) throw new Error(`${bin} ${args[0]} ended with ${code}:\n${stderr || stdout}`);
  return stdout;
}

export async function askDaemon<T>(folder: BenchFolder, method: string, params: object): Promise<T> {
  const result: unknown = JSON.parse(await runZerd(folder, 'zerd', ['rpc', method, JSON.stringify(params)]));
  if (!isObject(result)) throw new Error(`${method} answered no object`);
  return result as T;
}

/** All events of a session, from its log. */
export async function sessionEvents(folder: BenchFolder, sessionId: string): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (let after = 0; ; ) {
    type Page = { readonly events: readonly { readonly seq: number; readonly event: Json }[] };
    const { events } = await askDaemon<Page>(folder, 'session/read', { sessionId, after, limit: 1000 });
    found.push(...events.map(({ event }) => event));
    const last = events.at(-1);
    if (last === undefined) return found;
    after = last.seq;
  }
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');

/** `input`: what it reads; `nodeArgs`: for Node itself. Nothing of the caller's environment but PATH: a key or a setting there must not change the figures. */
export function startZerd(
  folder: BenchFolder,
  bin: 'zerd' | 'zerdd',
  args: readonly string[],
  input = '',
  nodeArgs: readonly string[] = [],
): Promise<ProgramEnd> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ZERD_CONFIG_DIR: folder.config,
    XDG_CONFIG_HOME: folder.config,
    XDG_STATE_HOME: folder.state,
    XDG_RUNTIME_DIR: folder.runtime,
  };
  const child = spawn(process.execPath, [...nodeArgs, join(root, 'packages/cli/bin', `${bin}.js`), ...args], {
    cwd: folder.repository,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  // Whoever does not read what it is given closes the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}
