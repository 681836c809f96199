/**
 * Does: tells who looks on what a command writes while its call waits for it. Invariants: nobody looks, nothing is read; a
 * command that writes faster than it is looked at is told in its newest part; the result waits for what is told of it, and
 * holds what counts.
 */
import { StringDecoder } from 'node:string_decoder';
import type { OpenCall } from '@zerd/core/session/state';
import type { RunningCommand } from '../base/job-ports.ts';
import type { TurnContext } from './turn-context.ts';

const lookMs = 200;
/** Bytes of one look. */
const mostBytes = 16 * 1024;

type Following = Pick<TurnContext, 'clock' | 'sendOutput' | 'outputWanted' | 'signal'>;

/** The same command, which is followed until its output is taken. */
export function followOutput(
  turn: Following,
  { callId }: Pick<OpenCall, 'callId'>,
  command: RunningCommand,
): RunningCommand {
  const decoder = new StringDecoder('utf8');
  let offset = 0;
  let over = false;
  let looking: Promise<void> = Promise.resolve();
  let timer: Disposable | undefined;

  async function look(): Promise<void> {
    if (!turn.outputWanted()) return;
    const { bytes, offset: from, totalBytes } = await command.written(offset, mostBytes);
    if (bytes.length === 0) return;
    // What was left out may have ended in the middle of a character.
    if (from !== offset) decoder.end();
    offset = from + bytes.length;
    const text = decoder.write(Buffer.from(bytes));
    if (text !== '') turn.sendOutput({ callId, text, offset: from, totalBytes });
  }

  function later(): void {
    timer = turn.clock.setTimer(lookMs, () => {
      // What cannot be read now is in the result.
      looking = look().catch(() => {});
      void looking.then(() => {
        if (!over && !turn.signal.aborted) later();
      });
    });
  }

  async function end(): Promise<void> {
    over = true;
    timer?.[Symbol.dispose]();
    await looking;
    if (!turn.signal.aborted) await look().catch(() => {});
  }

  later();
  return {
    ...command,
    async output() {
      await end();
      return await command.output();
    },
  };
}
