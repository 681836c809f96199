/**
 * A JSON-RPC connection over a pair of streams, guarded at the byte level. Invariant: a refused message or a lost stream
 * always ends the whole link, and with it every pending request; nothing is sent after that.
 */
import type { Readable, Writable } from 'node:stream';
import {
  createMessageConnection,
  type DataCallback,
  Emitter,
  type Logger,
  type Message,
  type MessageConnection,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import { ZerdError } from '../common/errors.ts';
import { answerLimits, createFrameReader, encodeFrame, type FrameLimits, type RpcMessage } from './framing.ts';
import { createIntake, type IntakeLimits } from './intake.ts';
import { toWire } from './wire-errors.ts';

/** A socket is both; of a child process they are its pipes. */
export interface Streams {
  readonly readable: Readable;
  readonly writable: Writable;
}

export interface LinkOptions {
  readonly limits: FrameLimits;
  /** How much of what the other side asks may wait for its answer. */
  readonly intake?: IntakeLimits;
  /** Told why the link was ended when a message was refused. */
  readonly onRefused?: (error: unknown) => void;
  readonly logger?: Logger;
}

export interface Link {
  /** Handlers are set before `rpc.listen()`. */
  readonly rpc: MessageConnection;
  /** Sends a frame that is already encoded, in order with everything else. After the end it does nothing. */
  send(frame: Uint8Array): void;
  /** Bytes that the other side has not taken yet. */
  backlog(): number;
  /** Settles when the other side has taken what was sent, or the link has ended; not before others had their turn. */
  drained(): Promise<void>;
  /** Settles when the link has ended, for whatever reason. */
  readonly closed: Promise<void>;
  readonly ended: boolean;
  /** Whether what is sent can still reach the other side. */
  readonly heard: boolean;
  /** Ends after what was sent so far has gone out. */
  close(): void;
  destroy(): void;
}

export function openLink(streams: Streams, options: LinkOptions): Link {
  const { readable, writable } = streams;
  let unhandled = 0;
  let ended = false;
  let gathering = false;
  let settle: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });

  function end(): void {
    if (ended) return;
    ended = true;
    rpc.dispose();
    settle();
  }

  /** vscode-jsonrpc takes one message in each round of the loop. */
  function handled(): void {
    unhandled -= 1;
    if (unhandled > 0) setImmediate(handled);
  }

  /** What arrived before the stream ended is still handled. */
  function linger(rounds: number): void {
    if (rounds === 0) destroy();
    else setImmediate(linger, rounds - 1);
  }

  function destroy(): void {
    flush();
    end();
    readable.destroy();
    writable.destroy();
  }

  function refuse(error: unknown): void {
    options.onRefused?.(error);
    put(encodeFrame({ jsonrpc: '2.0', id: null, error: toWire(error) }));
    destroy();
  }

  /** What is sent at one go leaves at one go: a call of the system for each frame costs more than making it. */
  function send(frame: Uint8Array): void {
    if (!gathering && !ended) {
      gathering = true;
      writable.cork();
      process.nextTick(flush);
    }
    put(frame);
  }

  function put(frame: Uint8Array): void {
    if (!ended && writable.writable) writable.write(frame);
  }

  function flush(): void {
    if (!gathering) return;
    gathering = false;
    writable.uncork();
  }

  const intake = createIntake(readable, options.intake);
  const reader = guardedReader(readable, options.limits, refuse, (message, bytes) => {
    intake.received(message, bytes);
    unhandled += 1;
    if (unhandled === 1) setImmediate(handled);
  });
  const answer = (message: Message) => {
    put(fitting(message));
    intake.sent(message);
  };
  const rpc = createMessageConnection(
    reader,
    frameWriter(answer, () => writable.end()),
    options.logger,
  );
  rpc.onError(([error]) => refuse(error));
  for (const stream of new Set<Readable | Writable>([readable, writable])) {
    // A reset or a broken pipe is an end like any other: 'close' follows.
    stream.on('error', () => {});
    stream.on('close', () => linger(unhandled + 1));
  }
  readable.on('end', () => linger(unhandled + 1));

  return {
    rpc,
    send,
    closed,
    destroy,
    backlog: () => writable.writableLength,
    drained() {
      flush();
      return drained(writable, closed);
    },
    close: () => (writable.writable ? void writable.end(destroy) : destroy()),
    get ended() {
      return ended;
    },
    get heard() {
      return !ended && writable.writable;
    },
  };
}

function guardedReader(
  readable: Readable,
  limits: FrameLimits,
  refuse: (error: unknown) => void,
  onMessage: (message: RpcMessage, bytes: number) => void,
): MessageReader {
  return {
    onError: new Emitter<Error>().event,
    onClose: new Emitter<void>().event,
    onPartialMessage: new Emitter<never>().event,
    dispose() {},
    listen(callback) {
      const frames = createFrameReader(limits, (message, bytes) => {
        onMessage(message, bytes);
        deliver(message, callback);
      });
      const onData = (chunk: Uint8Array) => {
        try {
          frames.push(chunk);
        } catch (error) {
          refuse(error);
        }
      };
      readable.on('data', onData);
      return { dispose: () => void readable.off('data', onData) };
    },
  };
}

/** vscode-jsonrpc throws at once on a message of its own that it cannot make sense of (a cancellation of nothing). */
function deliver(message: RpcMessage, callback: DataCallback): void {
  try {
    callback(message);
  } catch {
    throw new ZerdError('invalid_request', 'The connection was closed because a message misses its parameters.');
  }
}

function frameWriter(send: (message: Message) => void, end: () => void): MessageWriter {
  return {
    onError: new Emitter<[Error, Message | undefined, number | undefined]>().event,
    onClose: new Emitter<void>().event,
    end,
    dispose() {},
    async write(message) {
      send(message);
    },
  };
}

/** An answer that the other side would refuse is replaced by an error, so that the link lives on. */
function fitting(message: Message): Uint8Array {
  const frame = encodeFrame(message);
  if (frame.length <= answerLimits.messageBytes || !('id' in message)) return frame;
  const error = new ZerdError('message_too_large', `The answer has ${frame.length} bytes. Ask for less at once.`);
  return encodeFrame({ jsonrpc: '2.0', id: message.id, error: toWire(error) });
}

/** Never without a turn of the event loop: who sends much must not keep others waiting, however fast it is taken. */
async function drained(writable: Writable, closed: Promise<void>): Promise<void> {
  if (writable.writableNeedDrain)
    await Promise.race([closed, new Promise<void>((resolve) => writable.once('drain', resolve))]);
  await new Promise((resolve) => setImmediate(resolve));
}
