/**
 * Decides whether a daemon is there, by connecting. Invariant: only what the kernel says counts as absence; a daemon
 * that is too busy to take the connection is there.
 */
import { connect, type Socket } from 'node:net';
import { ZerdError } from '../common/errors.ts';

/** A connected socket; `absent`: nobody listens; `busy`: somebody does, try again. Rejects with daemon_unavailable else. */
export function probe(path: string): Promise<Socket | 'absent' | 'busy'> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const verdict = verdicts.get(error.code);
      if (verdict) resolve(verdict);
      else reject(unreachable(path, error));
    });
  });
}

function unreachable(path: string, error: NodeJS.ErrnoException): ZerdError {
  const why = error.code === 'EACCES' ? 'it, or a folder above it, is not yours' : error.message;
  const kept = 'Nothing was started or changed. Mend its permissions, or set XDG_RUNTIME_DIR to a folder of your own.';
  const message = `The socket ${path} cannot be opened (${error.code ?? 'unknown'}): ${why}. ${kept}`;
  return new ZerdError('daemon_unavailable', message, { cause: error });
}

const verdicts: ReadonlyMap<string | undefined, 'absent' | 'busy'> = new Map([
  ['ENOENT', 'absent'],
  ['ENOTDIR', 'absent'],
  // A socket file that its owner left behind.
  ['ECONNREFUSED', 'absent'],
  // The queue of connections is full.
  ['EAGAIN', 'busy'],
  ['ECONNRESET', 'busy'],
]);
