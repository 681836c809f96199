/** What a command writes is told to who looks on, while its call waits for it. */
import { afterEach, expect, test } from '@jest/globals';
import type { CallId } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import type { RunningCommand } from '../../src/base/job-ports.ts';
import { followOutput } from '../../src/runner/follow-output.ts';
import type { CommandOutputNotice } from '../../src/runner/runner.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

const settled = async () => {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
};

/** A command whose output is what the test says. */
function follow() {
  const clock = manualClock();
  const told: { text: string; offset: number }[] = [];
  const state = { output: Buffer.alloc(0), wanted: true, looks: 0 };
  const command = {
    written: async (offset: number, most: number) => {
      state.looks++;
      const from = Math.max(offset, state.output.length - most);
      return { bytes: state.output.subarray(from), offset: from, totalBytes: state.output.length };
    },
    output: async () => ({ kind: 'text', text: state.output.toString() }),
  } as unknown as RunningCommand;
  const turn = {
    clock,
    signal: new AbortController().signal,
    outputWanted: () => state.wanted,
    sendOutput: ({ text, offset }: Pick<CommandOutputNotice, 'text' | 'offset'>) => void told.push({ text, offset }),
  };
  const followed = followOutput(turn, { callId: 'c1' as CallId }, command);
  const write = (text: string | Buffer) => {
    state.output = Buffer.concat([state.output, Buffer.from(text)]);
  };
  const look = async () => {
    clock.advance(200);
    await settled();
  };
  return { clock, told, state, followed, write, look };
}

test('each look tells what is new, and taking the output tells the rest first and is the last look', async () => {
  const { clock, told, followed, write, look } = follow();
  await look();
  write('one\n');
  await look();
  write('two\n');
  await look();
  await look();
  write('three\n');
  await followed.output();
  expect(told).toEqual([
    { text: 'one\n', offset: 0 },
    { text: 'two\n', offset: 4 },
    { text: 'three\n', offset: 8 },
  ]);
  expect(clock.timers()).toBe(0);
});

test('nothing is read while nobody looks on, and who comes later is told what there is', async () => {
  const { told, state, write, look } = follow();
  state.wanted = false;
  write('one\n');
  await look();
  expect(state.looks).toBe(0);
  state.wanted = true;
  await look();
  expect(told).toEqual([{ text: 'one\n', offset: 0 }]);
});

test('a character that comes in two pieces is told whole', async () => {
  const { told, write, look } = follow();
  const [first = 0, ...rest] = Buffer.from('é!');
  write(Buffer.from([first]));
  await look();
  write(Buffer.from(rest));
  await look();
  expect(told.map(({ text }) => text)).toEqual(['é!']);
});

test('of much at once the newest 16 KiB are told', async () => {
  const { told, write, look } = follow();
  write(`${'x'.repeat(100_000)}end`);
  await look();
  expect([told[0]?.offset, told[0]?.text.length, told[0]?.text.endsWith('end')]).toEqual([
    100_003 - 16_384,
    16_384,
    true,
  ]);
});

test('a real command is followed until its call has its result', async () => {
  const command = 'printf one; until test -e go; do sleep 0.02; done; printf two';
  scene = await openScene({ steps: [{ calls: [{ name: 'shell', input: { command } }] }, { text: 'Done.' }] });
  const told: CommandOutputNotice[] = [];
  const { root } = scene;
  const { writeFileSync } = await import('node:fs');
  scene.runner.onOutput({
    wanted: () => true,
    tell(output) {
      told.push(output);
      writeFileSync(`${root}/go`, '');
    },
  });
  const { end } = await scene.say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(told.map(({ text }) => text).join('')).toBe('onetwo');
});
