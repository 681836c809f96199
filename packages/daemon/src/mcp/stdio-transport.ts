/**
 * Carries messages to a server's program and back, as lines of JSON. The SDK's own transport keeps the daemon's process
 * group and environment, and ends no descendants. Invariants: memory is bounded whatever the program writes; what is no
 * message is dropped; the program's end is told once.
 */
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Clock } from '@zerd/protocol/node/clock';
import { settlesWithin } from '../processes/settles-within.ts';
import type { ServerChild } from './children.ts';
import { createLineReader } from './line-reader.ts';
import { createTail } from './tail.ts';

/** A longer message ends the connection. */
export const mostMessageBytes = 64 * 1024 * 1024;

export interface StdioTransport extends Transport {
  /** How it ended and what it last complained of, for people. */
  lastWords(): string;
}

/** What a program wrote before its end is read for so long: its output may stay open, held by what it started. */
const lastWordsMs = 500;

export function stdioTransport(child: ServerChild, clock: Clock): StdioTransport {
  const { stdin, stdout, stderr } = child.process;
  const complaints = createTail();
  let how = '';
  let noise = '';
  let over = false;

  function finish(why: string): void {
    if (over) return;
    over = true;
    how = why;
    transport.onclose?.();
  }

  function onLine(line: string): void {
    if (over) return;
    let message: ReturnType<typeof deserializeMessage>;
    try {
      message = deserializeMessage(line);
    } catch {
      // Some print a greeting: where nothing else comes, it says what is wrong.
      noise = line.slice(0, 400);
      return;
    }
    transport.onmessage?.(message);
  }

  const transport: StdioTransport = {
    async start() {
      const tooLong = () => {
        finish(`it sent a message of more than ${mostMessageBytes >> 20} MiB`);
        void child.end();
      };
      stdout?.on('data', createLineReader({ line: onLine, tooLong }, mostMessageBytes));
      stderr?.on('data', complaints.add);
      for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {});
      const outputEnded = new Promise<void>((resolve) => stdout?.once('close', () => resolve()));
      child.process.once('exit', (code, signal) => {
        const why = `it ended ${signal === null ? `with status ${code}` : `by ${signal}`}`;
        void settlesWithin(outputEnded, lastWordsMs, clock).then(() => finish(why));
      });
      const exited = new Promise<void>((resolve) => child.process.once('exit', () => resolve()));
      const closedOnly = async () => {
        if (!(await settlesWithin(exited, lastWordsMs, clock))) finish('it closed its output');
      };
      void outputEnded.then(closedOnly);
    },
    async send(message) {
      if (over || stdin === null || stdin.destroyed) throw new Error('The server has ended.');
      // Whoever asks without end and takes no answer is let go.
      if (stdin.writableLength > mostMessageBytes) {
        finish('it took nothing of what it was sent');
        void child.end();
        throw new Error('The server takes nothing.');
      }
      if (!stdin.write(serializeMessage(message))) await drained(stdin);
    },
    async close() {
      finish('it was ended');
      await child.end();
    },
    lastWords() {
      const said = complaints.text() || noise;
      return said === '' ? how : `${how}${how === '' ? '' : '; '}it said: ${said}`;
    },
  };
  return transport;
}

/** A program that has stopped reading ends by the deadline of whoever waits. */
function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) stream.removeListener(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.once(event, done);
  });
}
