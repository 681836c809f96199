/** The process `zerd acp`: an agent on standard input and output. Nothing else is written there, and nothing listens. */
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { systemClock } from '@zerd/protocol/node/clock';
import { createAgent } from './agent.ts';
import { reacher } from './reach.ts';

const say = (line: string) => void process.stderr.write(`zerd acp: ${line}\n`);
const stream = ndJsonStream(
  Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
);
const { app, leave } = createAgent({ reach: reacher(process.env, say), cwd: process.cwd() });
await app.connect(stream).closed;
// A daemon that does not answer keeps nobody.
systemClock.setTimer(2_000, () => process.exit(0));
await leave();
process.exit(0);
