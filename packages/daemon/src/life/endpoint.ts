/**
 * The socket clients connect to. To be used only by the holder of the owner lock. Invariant: the socket appears under its
 * name ready and with mode 0600, in the place of whatever a dead predecessor left, and a successor's is never removed.
 */
import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { socketPath } from '@zerd/protocol/node/paths';
import { type OwnFile, ownFile } from './own-file.ts';

export interface Endpoint {
  readonly file: OwnFile;
  /** Takes no more connections; those that are open stay. */
  close(): Promise<void>;
}

export async function openEndpoint(runtime: string, onSocket: (socket: Socket) => void): Promise<Endpoint> {
  removeLeftovers(runtime);
  // libuv unlinks the path it was bound to when the server closes. Bound under a name of its own and renamed, the
  // socket of a successor is out of its reach.
  const bound = join(runtime, `z${process.pid}.sock`);
  const server = createServer(onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: bound }, resolve);
  });
  chmodSync(bound, 0o600);
  const path = socketPath(runtime);
  renameSync(bound, path);
  const file = ownFile(path);
  return {
    file,
    close() {
      file.remove();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** What a predecessor left that was killed between binding and renaming. */
function removeLeftovers(runtime: string): void {
  for (const name of readdirSync(runtime)) {
    if (/^z\d+\.sock$/.test(name)) rmSync(join(runtime, name), { force: true });
  }
}
