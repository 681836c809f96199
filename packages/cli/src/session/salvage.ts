/** Has a session written by `zerdd export` where no daemon can: it is down for good, or its database was damaged. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isZerdError } from '@zerd/protocol/common/errors';
import { repositoryRoot } from '@zerd/protocol/node/paths';
import { zerddPath } from '../connect.ts';
import type { Terminal } from '../terminal.ts';

/** Failures behind which the log may still be read. */
const readable: ReadonlySet<string> = new Set([
  'daemon_unavailable',
  'store_failed',
  'store_unsafe',
  'disk_full',
  'internal_error',
  'unknown_session',
]);

/** Rejects with `failure` itself where that is no help. */
export async function* salvagePages(
  failure: unknown,
  { session, format }: { readonly session: string | undefined; readonly format: 'md' | 'json' },
  terminal: Pick<Terminal, 'cwd' | 'env' | 'err'>,
): AsyncGenerator<string> {
  if (!isZerdError(failure) || !readable.has(failure.code)) throw failure;
  const root = repositoryRoot(terminal.cwd());
  const args = ['export', '--root', root, '--format', format, ...(session === undefined ? [] : [session])];
  const child = spawn(process.execPath, [zerddPath, ...args], {
    env: { ...terminal.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdout.setEncoding('utf8');
  yield* child.stdout as AsyncIterable<string>;
  const [code] = await ended;
  if (code !== 0) throw failure;
  terminal.err(`zerd: ${failure.code}: ${failure.message}\n${said}`);
}
