import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import { type NextStep, nextStep } from '@zerd/core/session/next-step';
import type { SessionEvent, StopReason } from '@zerd/protocol/common/event';
import type { PromptId, TurnId } from '@zerd/protocol/common/ids';
import { assistant, call, created, finished, log, message, turn } from './events.ts';

const begun = [created, turn, message('Go')];

function check(
  events: readonly SessionEvent[],
  expected: Exclude<NextStep, { kind: 'runTools' }> | { kind: 'runTools'; calls: readonly string[] },
) {
  const step = nextStep(foldSession(log(...events)));
  expect(step.kind === 'runTools' ? { kind: step.kind, calls: step.calls.map(({ callId }) => callId) } : step).toEqual(
    expected,
  );
}

const answerWith = (stopReason: StopReason, id = 'req_1'): SessionEvent => ({
  ...assistant(id, { kind: 'text', text: 'Well.' }),
  stopReason,
});

test('a new message asks the model', () => {
  check(begun, { kind: 'callModel' });
});

test('calls of an answer are run before anything is asked, also when the answer was cut', () => {
  check([...begun, assistant('req_1', call('c1'), call('c2'))], { kind: 'runTools', calls: ['c1', 'c2'] });
  check([...begun, { ...assistant('req_1', call('c1')), stopReason: 'maxTokens' }], {
    kind: 'runTools',
    calls: ['c1'],
  });
});

test('results are taken back to the model', () => {
  check([...begun, assistant('req_1', call('c1')), finished('c1')], { kind: 'callModel' });
});

test('an answer without calls ends the turn as its reason says', () => {
  check([...begun, answerWith('end')], { kind: 'finish', outcome: 'done' });
  check([...begun, answerWith('refusal')], {
    kind: 'finish',
    outcome: 'failed',
    failure: { code: 'provider_rejected', message: 'The model refused to answer.' },
  });
  check([...begun, answerWith('maxTokens')], {
    kind: 'finish',
    outcome: 'limit',
    failure: {
      code: 'limit_reached',
      message: 'The answer reached the output limit of the model and is cut. Continue the session to go on.',
    },
  });
  check([...begun, answerWith('contextFull')], {
    kind: 'finish',
    outcome: 'failed',
    failure: {
      code: 'context_overflow',
      message: 'The answer was cut short: with the conversation it fills the window of the model.',
    },
  });
});

test('a pause goes on, five times in a row', () => {
  const pauses = (n: number) => Array.from({ length: n }, (_, i) => answerWith('pause', `req_${i}`));
  check([...begun, ...pauses(4)], { kind: 'callModel' });
  check([...begun, ...pauses(5)], {
    kind: 'finish',
    outcome: 'failed',
    failure: { code: 'provider_failed', message: 'The model paused 5 times in a row without going on.' },
  });
});

test('the limit of requests ends the turn between calls and request, never in the middle of calls', () => {
  const limited = [created, { ...turn, maxRequests: 1 }, message('Go'), assistant('req_1', call('c1'))];
  check(limited, { kind: 'runTools', calls: ['c1'] });
  check([...limited, finished('c1')], {
    kind: 'finish',
    outcome: 'limit',
    failure: {
      code: 'limit_reached',
      message: 'The turn reached its limit of requests (1). Continue the session to go on.',
    },
  });
});

test('an answer of an earlier turn does not end this one', () => {
  check(
    [
      ...begun,
      answerWith('end'),
      { ...turn, turnId: 'turn_2' as never },
      { ...message('More'), turnId: 'turn_2' as never } as SessionEvent,
    ],
    {
      kind: 'callModel',
    },
  );
});

const withTools: SessionEvent = {
  ...created,
  tools: JSON.stringify([{ name: 'read', description: '', inputSchema: { type: 'object' } }]),
};
const leak = (id: string): SessionEvent => ({
  ...assistant(id, { kind: 'text', text: '<tool_call>{"name":"reed"}</tool_call>' }),
  stopReason: 'end',
});

test('a call that arrived as text is told twice in a row, counted, and then fails the turn', () => {
  const events: SessionEvent[] = [withTools, turn, message('Go'), leak('req_1')];
  for (const times of [1, 2]) {
    const step = nextStep(foldSession(log(...events)));
    expect(step).toMatchObject({ kind: 'remind', reminder: { about: { kind: 'leakedCall', times } } });
    if (step.kind !== 'remind') throw new Error('no reminder');
    check([...events, step.reminder], { kind: 'callModel' });
    events.push(step.reminder, leak(`req_${times + 1}`));
  }
  const end = nextStep(foldSession(log(...events)));
  expect(end).toMatchObject({ kind: 'finish', outcome: 'failed', failure: { code: 'provider_malformed' } });
});

test('a call that came through in between begins the count anew', () => {
  const reminder = (times: number): SessionEvent => ({
    kind: 'reminder.added',
    turnId: turn.turnId,
    text: 'as text',
    about: { kind: 'leakedCall', times },
  });
  const story = [withTools, turn, message('Go'), leak('req_1'), reminder(1), leak('req_2'), reminder(2)];
  const events = [...story, assistant('req_3', call('c1')), finished('c1'), leak('req_4')];
  expect(nextStep(foldSession(log(...events)))).toMatchObject({ kind: 'remind', reminder: { about: { times: 1 } } });
});

const queued = (promptId: string, more: { steers?: TurnId } = {}): SessionEvent => ({
  kind: 'prompt.queued',
  promptId: promptId as PromptId,
  text: promptId,
  ...more,
});
const toThis = { steers: turn.turnId };
const submit = (events: readonly SessionEvent[]) => {
  const step = nextStep(foldSession(log(...events)));
  return step.kind === 'submit' ? step.prompts.map(({ promptId }) => promptId) : step.kind;
};

test('what is said to the running turn goes in once no call is open, and in front of the next request', () => {
  const asked = [...begun, queued('p1', toThis), queued('p2', toThis), queued('p3')];
  expect(submit(asked)).toEqual(['p1', 'p2']);
  expect(submit([...asked, assistant('req_1', call('c1'))])).toBe('runTools');
  expect(submit([...asked, assistant('req_1', call('c1')), finished('c1')])).toEqual(['p1', 'p2']);
  const submitted = { ...message('p1'), promptId: 'p1' as PromptId };
  expect(submit([...asked, submitted])).toEqual(['p2']);
  expect(submit([...asked, submitted, { ...message('p2'), promptId: 'p2' as PromptId }])).toBe('callModel');
});

test('a turn whose answer has ended goes on with what was said meanwhile, unless it may ask no more', () => {
  const said = queued('p1', toThis);
  expect(submit([...begun, answerWith('end'), said])).toEqual(['p1']);
  expect(submit([...begun, answerWith('refusal'), said])).toBe('finish');
  expect(submit([created, { ...turn, maxRequests: 1 }, message('Go'), answerWith('end'), said])).toBe('finish');
  expect(submit([...begun, answerWith('pause'), said])).toBe('callModel');
});
