/**
 * Decides whether a daemon is there, by connecting. Invariant: only what the kernel says counts as absence; a daemon
 * that is too busy to take the connection is there.
 */
import { connect, type Socket } from 'node:net';

/** A connected socket; `absent`: nobody listens; `busy`: somebody does, try again. Rejects on anything else. */
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
      else reject(error);
    });
  });
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
