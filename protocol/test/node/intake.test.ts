import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { encodeFrame, requestLimits } from '../../src/node/framing.ts';
import { createIntake, intakeLimits } from '../../src/node/intake.ts';
import { openLink } from '../../src/node/link.ts';

type Step =
  | readonly ['in', id: unknown, bytes: number]
  | readonly ['out', id: unknown]
  | readonly ['note', bytes: number];

/** What is done to the source by each step, with room for three requests or 100 bytes. */
function check(steps: readonly Step[], expected: string) {
  const done: string[] = [];
  const source = { pause: () => done.push('pause'), resume: () => done.push('resume') };
  const intake = createIntake(source, { requests: 3, bytes: 100 });
  for (const [what, ...given] of steps) {
    done.push('.');
    if (what === 'in') intake.received({ jsonrpc: '2.0', id: given[0], method: 'm' }, Number(given[1]));
    if (what === 'out') intake.sent({ jsonrpc: '2.0', id: given[0], result: {} });
    if (what === 'note') intake.received({ jsonrpc: '2.0', method: 'm' }, Number(given[0]));
  }
  expect(done.join(' ')).toBe(expected);
}
const ask = (id: unknown, bytes = 1): Step => ['in', id, bytes];

test('who has asked too much is not read from until something is answered', () => {
  check([ask(1), ask(2), ask(3), ['out', 2], ask(4), ['out', 1]], '. . . pause . resume . pause . resume');
});

test('what is asked counts by its size too', () => {
  check([ask(1, 60), ask(2, 60), ['out', 1]], '. . pause . resume');
});

test('an id that is used twice counts twice, and nothing counts that gets no answer', () => {
  check([ask(1), ask(1), ask(1), ['out', 1], ask(1), ['out', 1]], '. . . pause . resume . pause . resume');
  check([['note', 500], ask(null, 500), ['out', 7], ask(1), ['out', 1], ['out', 1]], '. . . . . .');
});

test('a side that sends without end is held for no more than it may have open, and all of it is answered in the end', async () => {
  const up = new PassThrough();
  const down = new PassThrough();
  const link = openLink({ readable: up, writable: down }, { limits: requestLimits });
  const waiting: (() => void)[] = [];
  let begun = 0;
  let lets = false;
  link.rpc.onRequest(() => {
    begun += 1;
    return lets ? 0 : new Promise<number>((resolve) => waiting.push(() => resolve(0)));
  });
  link.rpc.listen();
  let answers = 0;
  down.on('data', (bytes: Buffer) => {
    answers += bytes.toString().split('Content-Length').length - 1;
  });
  const wanted = 20_000;
  let sent = 0;
  const pour = () => {
    while (sent < wanted && up.write(encodeFrame({ jsonrpc: '2.0', id: ++sent, method: 'm' })));
  };
  up.on('drain', pour);
  pour();
  let before = -1;
  for (let calm = 0; calm < 50; calm = begun === before ? calm + 1 : 0) {
    before = begun;
    await new Promise(setImmediate);
  }
  // One chunk that was read already may lie above.
  expect(begun).toBeLessThan(intakeLimits.requests + 2_000);
  expect(sent).toBeLessThan(wanted);
  lets = true;
  for (const settle of waiting) settle();
  while (answers < wanted) await new Promise(setImmediate);
  expect([begun, answers]).toEqual([wanted, wanted]);
  link.destroy();
});
