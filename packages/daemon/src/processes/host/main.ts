/**
 * The process under which commands run. It takes orders of one daemon on stdin and outlives it: once that is gone it
 * goes on until nothing that runs under it is left. Invariant: no failure of one command ends the others.
 */
import { createInterface } from 'node:readline';
import { createHost } from './create-host.ts';
import type { Order } from './orders.ts';

let listens = true;
const host = createHost((report) => {
  if (listens) process.stdout.write(`${JSON.stringify(report)}\n`);
});

// The daemon may be gone at any moment; what happened is in the files all the same.
process.stdout.on('error', () => {
  listens = false;
});
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
// Who ends the daemon does not mean its commands: they go on, and this process with them.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => host.take(JSON.parse(line) as Order));
orders.on('close', () => {
  listens = false;
  void host.idle().then(() => process.exit(0));
});
