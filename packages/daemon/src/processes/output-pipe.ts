/**
 * A pipe for stdout and stderr together, so that what a command writes arrives in the order in which it wrote it.
 * Node's own pipes are sockets, which `/dev/stderr` and `/dev/stdout` cannot open; a FIFO is what programs expect.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

export interface OutputPipe {
  readonly reader: Socket;
  /** For the child; close it here once the child has it. */
  readonly writer: number;
}

/** `path` is free and private; nothing is left there. Rejects where FIFOs cannot be made. */
export async function openOutputPipe(path: string): Promise<OutputPipe> {
  await promisify(execFile)('mkfifo', ['-m', '600', path], { env: { PATH: '/usr/bin:/bin' } });
  try {
    // The reading end first and without waiting: then neither call waits for the other end.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openOrClose(path, read);
    return { reader: new Socket({ fd: read, readable: true, writable: false }), writer };
  } finally {
    rmSync(path, { force: true });
  }
}

function openOrClose(path: string, read: number): number {
  try {
    return openSync(path, constants.O_WRONLY);
  } catch (error) {
    closeSync(read);
    throw error;
  }
}
