/** A bare JSON-RPC server that gives back what it is given. Says where it listens, and at its end how late its loop was. */
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { requestLimits } from '@zerd/protocol/node/framing';
import { openLink } from '@zerd/protocol/node/link';
import { untilAsked } from './program.ts';

const [path = ''] = process.argv.slice(2);
const server = createServer((socket) => {
  const { rpc } = openLink({ readable: socket, writable: socket }, { limits: requestLimits });
  rpc.onRequest((_method: string, params: unknown) => params);
  rpc.listen();
});
server.listen(path, () => process.stdout.write(`${path}\n`));
const resolutionMs = 5;
const lag = monitorEventLoopDelay({ resolution: resolutionMs });
lag.enable();
await untilAsked();
process.stdout.write(`${Math.max(0, lag.percentile(99) / 1e6 - resolutionMs).toFixed(2)}\n`, () => process.exit(0));
