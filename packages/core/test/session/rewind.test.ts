import { expect, test } from '@jest/globals';
import { changesSince, cutOf, type FileChange, returnOf, waysBack } from '@zerd/core/session/rewind';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';

const log = (events: readonly object[]): readonly LoggedEvent[] =>
  events.map((event, n) => ({ seq: n + 1, at: 0, event: event as SessionEvent }));
const turn = (turnId: string, text?: string) => [
  { kind: 'turn.started', turnId },
  ...(text === undefined ? [] : [{ kind: 'message.submitted', turnId, text }]),
  { kind: 'turn.finished', turnId },
];

test('a session is cut before its newest messages, or behind an event', () => {
  const events = log([{ kind: 'session.created' }, ...turn('a', 'one'), ...turn('sum'), ...turn('b', 'two')]);
  const check = (wish: Parameters<typeof cutOf>[1], expected: ReturnType<typeof cutOf>) =>
    expect([wish, cutOf(events, wish)]).toEqual([wish, expected]);
  check({}, { seq: 6, text: 'two' });
  check({ turns: 2 }, { seq: 1, text: 'one' });
  check({ turns: 3 }, undefined);
  check({ atSeq: 4 }, { seq: 4, text: 'two' });
  check({ atSeq: 9 }, { seq: 9 });
  check({ atSeq: 10 }, undefined);
});

test('a message to the running turn begins no turn of its own', () => {
  const said = { kind: 'message.submitted', turnId: 'a', text: 'and' };
  expect(cutOf(log([{ kind: 'session.created' }, ...turn('a', 'one').slice(0, 2), said]), {})).toEqual({
    seq: 1,
    text: 'one',
  });
});

const written = (path: string, before: string | null | undefined, hash: string) => ({
  kind: 'toolCall.finished',
  callId: path,
  outcome: 'ok',
  files: [{ path, hash, how: 'written', ...(before === undefined ? {} : { before }) }],
});

test('what tools changed since is told with what was there before, that of sub-agents in its place, and commands are counted', () => {
  const child = log([
    { kind: 'session.created' },
    written('c', null, '1'),
    { kind: 'toolCall.started', name: 'shell' },
  ]);
  const parent = log([
    { kind: 'session.created' },
    written('a', '0', '1'),
    { kind: 'toolCall.finished', callId: 'r', outcome: 'ok', files: [{ path: 'r', hash: '1', how: 'read' }] },
    written('a', '1', '2'),
    { kind: 'subagent.started', sessionId: 'child' },
    { kind: 'toolCall.started', callId: 's', name: 'shell', inputJson: '{}' },
    written('b', undefined, '1'),
    { kind: 'toolCall.started', callId: 'w', name: 'write', inputJson: '{"path":"d"}' },
    { kind: 'toolCall.finished', callId: 'w', outcome: 'unknown' },
    { kind: 'toolCall.finished', callId: 's', outcome: 'unknown' },
  ]);
  const read = (id: SessionId) => (id === ('child' as SessionId) ? child : parent);
  expect(changesSince(read, 'parent' as SessionId, 3)).toEqual({
    files: [
      { path: 'a', before: '1', after: '2' },
      { path: 'c', before: null, after: '1' },
      { path: 'b', before: undefined, after: '1' },
      { path: 'd', before: undefined, after: undefined },
    ],
    commands: 2,
    lostAgents: 0,
    runningJobs: 0,
  });
});

test('a sub-agent whose session was removed is counted: what it changed is not known', () => {
  const parent = log([{ kind: 'session.created' }, { kind: 'subagent.started', sessionId: 'gone' }]);
  const read = (id: SessionId) => (id === ('gone' as SessionId) ? [] : parent);
  expect(changesSince(read, 'parent' as SessionId, 1)).toEqual({
    files: [],
    commands: 0,
    lostAgents: 1,
    runningJobs: 0,
  });
});

test('commands that still run are counted, those of sub-agents too', () => {
  const job = (jobId: string) => ({ kind: 'job.started', jobId });
  const child = log([{ kind: 'session.created' }, job('c')]);
  const parent = log([
    { kind: 'session.created' },
    job('before'),
    job('ended'),
    job('runs'),
    { kind: 'subagent.started', sessionId: 'child' },
    { kind: 'job.finished', jobId: 'ended' },
  ]);
  const read = (id: SessionId) => (id === ('child' as SessionId) ? child : parent);
  expect(changesSince(read, 'parent' as SessionId, 2).runningJobs).toBe(2);
});

test('a file goes back to what it held before the first change, from what the last one left', () => {
  const check = (changes: readonly (readonly [string | null | undefined, string | undefined])[], expected: unknown) =>
    expect(waysBack(changes.map(([before, after]) => ({ path: 'a', before, after })))).toEqual(expected);
  check([['0', '1']], [{ path: 'a', back: '0', now: '1' }]);
  check(
    [
      [null, '1'],
      ['1', '2'],
    ],
    [{ path: 'a', back: null, now: '2' }],
  );
  check(
    [
      ['0', '1'],
      ['1', '0'],
    ],
    [],
  );
  check(
    [
      ['0', '1'],
      ['9', '2'],
    ],
    [{ path: 'a', back: '0', now: undefined }],
  );
  check(
    [
      ['0', '1'],
      [undefined, undefined],
    ],
    [{ path: 'a', back: '0', now: '1' }],
  );
  check(
    [
      ['0', '1'],
      [undefined, undefined],
      ['1', '2'],
    ],
    [{ path: 'a', back: '0', now: '2' }],
  );
  check(
    [
      [undefined, undefined],
      ['1', '2'],
    ],
    [{ path: 'a', back: undefined, now: '2' }],
  );
  check([[undefined, '1']], [{ path: 'a', back: undefined, now: '1' }]);
});

test('only what nobody else changed is put back, unless more is wished', () => {
  const check = (
    [back, now]: readonly [string | null | undefined, string | undefined],
    current: string | null,
    expected: readonly string[],
  ) => {
    const way = { path: 'a', back, now };
    expect([false, true].map((force) => returnOf(way, current, force))).toEqual(expected);
  };
  check(['0', '1'], '1', ['put back', 'put back']);
  check([null, '1'], '1', ['removed', 'removed']);
  check(['0', '1'], '0', ['as before', 'as before']);
  check([null, '1'], null, ['as before', 'as before']);
  check(['0', '1'], '2', ['changed', 'put back']);
  check(['0', '1'], null, ['changed', 'put back']);
  check(['0', undefined], '1', ['changed', 'put back']);
  check([undefined, '1'], '1', ['unknown', 'unknown']);
});

test('whatever happened, a file that nobody else changed comes back to what it was', () => {
  const contents = fc.array(fc.constantFrom('0', '1', '2'), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(contents, (states) => {
      const changes = states.slice(1).map((after, n): FileChange => ({ path: 'a', before: states[n], after }));
      const [first = '', last = ''] = [states[0], states.at(-1)];
      const [way] = waysBack(changes);
      expect(way === undefined ? first : way.back).toBe(first);
      expect(way === undefined ? last : way.now).toBe(last);
    }),
  );
});
