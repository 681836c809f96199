import { expect, test } from '@jest/globals';
import type { StartedCommand } from '@zerd/daemon/base/job-ports';
import { silentLog } from '@zerd/daemon/base/log';
import { createWaits } from '@zerd/daemon/base/waits';
import { commandsOf } from '@zerd/daemon/runner/commands-of';
import type { TurnContext } from '@zerd/daemon/runner/turn-context';
import { createWhenRoom } from '@zerd/daemon/runner/when-room';
import { callIdSchema, jobIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../test/support/manual-clock.ts';

const sessionId = sessionIdSchema.parse('ses_1');
const call = { turnId: turnIdSchema.parse('turn_1'), callId: callIdSchema.parse('call_1') };
const text = { kind: 'text' as const, text: 'all of it' };

/** Jobs on a disk that is full until `free`. */
function scene() {
  const clock = manualClock();
  const abort = new AbortController();
  const { signal } = abort;
  const disk = { full: true, begun: 0 };
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const command = {
    jobId: jobIdSchema.parse('job_1'),
    ended: Promise.resolve({ outcome: 'exited' as const }),
    end: async () => true,
    output: async () => {
      if (disk.full) throw full;
      return text;
    },
    written: async () => ({ bytes: new Uint8Array(), offset: 0, totalBytes: 0 }),
    keep() {},
  };
  const jobs = {
    async start(): Promise<StartedCommand> {
      if (disk.full) return { ok: false, code: 'ENOSPC' };
      disk.begun += 1;
      return { ok: true, command };
    },
  };
  const waits = createWaits(clock);
  const store = { folder: '/state', releaseReserve: () => true };
  const whenRoom = createWhenRoom({ clock, log: silentLog, waits, sessionId, signal, store });
  const turn = { jobs, sessionId, whenRoom, clock, signal, outputWanted: () => false };
  const commands = commandsOf(turn as unknown as TurnContext, call);
  const waitsFor = () => waits.list().map((wait) => wait.for);
  return { clock, abort, disk, commands, waitsFor };
}

const settled = () => new Promise(setImmediate);
const name = 'room on the disk: the output of a command in /state';

test('F-37: a command begins when there is room for its output, and what it wrote is taken when there is', async () => {
  const { clock, disk, commands, waitsFor } = scene();
  const starting = commands.start('make');
  await settled();
  expect([waitsFor(), disk.begun]).toEqual([[name], 0]);
  disk.full = false;
  clock.advance(5_000);
  const started = await starting;
  if (!started.ok) throw new Error(started.code);
  disk.full = true;
  const taking = started.command.output();
  await settled();
  expect([waitsFor(), disk.begun]).toEqual([[name], 1]);
  disk.full = false;
  clock.advance(5_000);
  expect([await taking, waitsFor()]).toEqual([text, []]);
});

test('F-37: an interrupt ends the wait, and the command is not run any more', async () => {
  const { abort, disk, commands, waitsFor } = scene();
  const starting = commands.start('make');
  await settled();
  abort.abort('interrupted by the user');
  expect([await starting, disk.begun, waitsFor()]).toEqual([{ ok: false, code: 'ENOSPC' }, 0, []]);
});
