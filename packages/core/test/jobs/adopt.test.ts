import { expect, test } from '@jest/globals';
import { type Adoption, decideAdoption, type Sight } from '@zerd/core/jobs/adopt';

const started = { pid: 10, startedAt: 100, bootId: 'this' };
const running: Sight = {
  started,
  ended: false,
  gone: false,
  bootId: 'this',
  processStartedAt: 100,
  alive: 1,
  hostAlive: true,
};

function check(change: Partial<Sight>, expected: Adoption) {
  expect(decideAdoption({ ...running, ...change })).toEqual(expected);
}

test('F-22: a command whose host lives goes on, whether or not its shell is seen', () => {
  check({}, { kind: 'runs' });
  check({ alive: 0, processStartedAt: undefined }, { kind: 'runs' });
});

test('what was written down of an end counts before what is seen', () => {
  check({ ended: true, gone: true, alive: 0 }, { kind: 'ended', alive: 0 });
  check({ ended: true, alive: 2 }, { kind: 'ended', alive: 2 });
  check({ ended: true, alive: 2, bootId: 'next' }, { kind: 'ended', alive: 0 });
});

test('F-23: another process under the same id, another boot, and a dead host are told apart', () => {
  check({ bootId: 'next' }, { kind: 'lost', reason: 'the machine was started anew meanwhile' });
  check(
    { hostAlive: false, alive: 0, processStartedAt: 101 },
    {
      kind: 'lost',
      reason: 'it is gone, and so is the process that watched it; its process id belongs to another process now',
    },
  );
  check(
    { hostAlive: false, alive: 0, processStartedAt: undefined },
    { kind: 'lost', reason: 'it is gone, and so is the process that watched it' },
  );
  check({ hostAlive: false }, { kind: 'runsUnwatched', reason: 'the process that watched it is gone' });
});

test('a command of which only the intent was written is lost, unless something carries its mark', () => {
  const intent = { started: undefined, processStartedAt: undefined, hostAlive: false };
  check({ ...intent, alive: 0 }, { kind: 'lost', reason: 'it is not known whether it began' });
  check({ ...intent, alive: 1 }, { kind: 'runsUnwatched', reason: 'the process that watched it is gone' });
});
