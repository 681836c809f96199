/** The process `zerd acp`: an agent on standard input and output. Nothing else is written there, and nothing listens. */
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { createAgent } from './agent.ts';
import { reacher } from './reach.ts';

const say = (line: string) => void process.stderr.write(`zerd acp: ${line}\n`);
const stream = ndJsonStream(
  Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
);
const connection = createAgent({ reach: reacher(process.env, say), cwd: process.cwd() }).connect(stream);
await connection.closed;
process.exit(0);
