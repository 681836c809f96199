/**
 * Times requests to the daemon and to the echo, one after the other, from a process that does nothing else. Says 'ready',
 * and when it is to end all times in one line.
 */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { answerLimits } from '@zerd/protocol/node/framing';
import { openLink } from '@zerd/protocol/node/link';
import { untilAsked } from './program.ts';

/** Milliseconds. */
export interface Timed {
  readonly rpc: readonly number[];
  readonly echo: readonly number[];
}

const everyMs = 5;

const [connection = '', session = '', echoPath = ''] = process.argv.slice(2);
const zerd = await connectOrSpawn(JSON.parse(connection));
const sessionId = sessionIdSchema.parse(session);
const socket = connect(echoPath);
const { rpc: echo } = openLink({ readable: socket, writable: socket }, { limits: answerLimits });
echo.listen();

let over = false;
void untilAsked().then(() => {
  over = true;
});
const read = { sessionId, limit: 1 };
// As long an answer as the daemon's.
const like = await zerd.request('session/read', read);
const timed = { rpc: [] as number[], echo: [] as number[] };
process.stdout.write('ready\n');
while (!over) {
  timed.rpc.push(await took(() => zerd.request('session/read', read)));
  timed.echo.push(await took(() => echo.sendRequest('echo', like)));
  await pause(everyMs);
}
process.stdout.write(`${JSON.stringify(timed)}\n`, () => process.exit(0));

async function took(request: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await request();
  return performance.now() - from;
}
