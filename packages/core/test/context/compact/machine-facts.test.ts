import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { factsBytes } from '@zerd/core/context/compact/budget';
import { machineFacts } from '@zerd/core/context/compact/machine-facts';
import { isWellFormed, utf8Length } from '@zerd/core/text/utf8';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, TurnId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { moves, tell } from '../stories.ts';
import { edit, read, sessionOf, shell, type Told } from './sessions.ts';

const archiveId = '1a2b3c4d5e6f7a8b' as ArchiveId;

function factsOf(events: readonly LoggedEvent[], bytes = 16_000, unseenAfter?: number): string {
  return machineFacts(events, { throughSeq: events.length, unseenAfter, bytes, archiveId });
}

const failing = [
  'exit 1',
  'Building 12% [==>      ]',
  ' FAIL  src/sum.test.ts > sum > adds two numbers',
  'AssertionError: expected 3 to be 4',
  '    at src/sum.ts:7:12',
  '    at node_modules/vitest/dist/run.js:88:3',
  'Tests  1 failed | 41 passed (42)',
].join('\n');

test('a folder that was moved is named as it is now', () => {
  const events = sessionOf({ say: 'Go.', facts: 'Working folder: /old\nDate: today' });
  const { seq = 0, at = 0 } = events.at(-1) ?? {};
  const about = { kind: 'folderMoved', folder: '/new' } as const;
  const moved: SessionEvent = { kind: 'reminder.added', turnId: 'turn_1' as TurnId, text: 'It was moved.', about };
  expect(factsOf(events)).toContain('Working folder: /old\nDate: today\n');
  expect(factsOf([...events, { seq: seq + 1, at, event: moved }])).toContain('Working folder: /new\nDate: today\n');
});

test('a small session keeps everything word for word, noise aside', () => {
  const events = sessionOf(
    { say: 'Mend sum. Never add a co-author line.', facts: 'Date: today' },
    read('src/sum.ts', 'export const sum = (a, b) => a - b;'),
    shell('npm test', failing, 1),
    edit('src/sum.ts', 'a - b', 'a + b'),
    shell('npm test', 'Tests  42 passed (42)'),
    { think: 'It passes.' },
    { say: 'Thanks. Now the docs.' },
  );
  expect(factsOf(events)).toBe(
    [
      '## FACTS OF THE SESSION',
      'Date: today',
      'Mode: edit',
      '',
      '## WHAT THE USER SAID',
      '1.',
      '```',
      'Mend sum. Never add a co-author line.',
      '```',
      '2.',
      '```',
      'Thanks. Now the docs.',
      '```',
      '',
      '## FILES AND CODE',
      '- src/sum.ts: edited once, last in call 3',
      '```',
      'a + b',
      '```',
      '',
      '## ERRORS AND FIXES',
      '$ npm test (call 2: exit 1; passes since, after edits of src/sum.ts)',
      '  FAIL src/sum.test.ts > sum > adds two numbers',
      '  AssertionError: expected 3 to be 4',
      '  at src/sum.ts:7:12',
      '  Tests 1 failed | 41 passed (42)',
      '',
      '## COMMANDS RUN, newest first',
      'exit 0: npm test',
    ].join('\n'),
  );
});

test('of runs that were shown as diffs each failure is told once, none that a later run shows as mended, and no total but the newest', () => {
  const first = 'ok a\n--- FAIL: TestA\n    a.go:7: wrong\n--- FAIL: TestB\n    b.go:9: wrong\nFAIL: 2 of 3\n';
  const second = [
    '[as call 1, above, but for this; archive 0123456789ab]',
    '@@ -1,6 +1,5 @@',
    ' ok a',
    '---- FAIL: TestA',
    '-    a.go:7: wrong',
    '+--- PASS: TestA',
    ' --- FAIL: TestB',
    '     b.go:9: wrong',
    '-FAIL: 2 of 3',
    '+FAIL: 1 of 3',
  ].join('\n');
  const text = factsOf(sessionOf({ say: 'Go' }, shell('go test', first, 1), shell('go test', second, 1)));
  expect(text.split('## ERRORS AND FIXES\n')[1]?.split('\n\n')[0]).toBe(
    [
      '$ go test (call 2: exit 1; not seen to pass since)',
      '  --- FAIL: TestB',
      '  b.go:9: wrong',
      '  FAIL: 1 of 3',
    ].join('\n'),
  );
});

test('P102, P104: a rule that the user gave stands word for word, in a message of any length', () => {
  const rule = '- no co-author line in commits';
  const long = ['Read this.', 'x'.repeat(3_000), 'y'.repeat(3_000), rule, 'z'.repeat(3_000), 'Go on.'].join('\n');
  const text = factsOf(sessionOf({ say: long }, { think: 'Yes.' }));
  expect(text).toContain(`\n${rule}\n`);
  expect(text).toContain('\nGo on.\n');
  expect(text).toMatch(/\n\[[\d,]+ bytes left out\]\n/);
});

test('of the middle of a long message the list items and the places in files stay whole', () => {
  const kept = ['1. first the parser', '  * then its tests', 'see src/a/b.ts:120 for the reason', '[ ] nothing else'];
  const filler = Array.from({ length: 200 }, (_, i) => `filler number ${i} that says nothing of interest at all`);
  const text = factsOf(sessionOf({ say: [...filler, ...kept, ...filler].join('\n') }));
  for (const line of kept.slice(0, 3)) expect(text).toContain(`\n${line}\n`);
  expect(utf8Length(text)).toBeLessThan(6_000);
});

test('each distinct command stands once with its last exit status, the newest first, the rest by archive id', () => {
  const many = Array.from({ length: 300 }, (_, i) => shell(`make target-${i} --with-some-longer-option`, '', i % 2));
  const events = sessionOf({ say: 'Go' }, shell('npm test', 'x', 1), ...many, shell('npm test', 'y', 0));
  const lines = (factsOf(events).split('## COMMANDS RUN, newest first\n')[1] ?? '').split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'exit 0: npm test',
    'exit 1: make target-299 --with-some-longer-option',
    'exit 0: make target-298 --with-some-longer-option',
  ]);
  expect(lines.at(-1)).toBe(`[${301 - (lines.length - 1)} more: recall {"id":"1a2b3c4d5e6f","pattern":"^\\\\$ "}]`);
  expect(utf8Length(lines.join('\n'))).toBeLessThanOrEqual(16_000 / 4);
});

test('edited files come first with the newest text the model saw or wrote; read ones are listed without content (P022)', () => {
  const events = sessionOf(
    { say: 'Go' },
    read('src/old.ts', 'OLD BODY'),
    { call: 'write', input: { path: 'src/new.ts', content: 'NEW BODY' }, file: { path: 'src/new.ts', how: 'written' } },
    edit('src/old.ts', 'OLD', 'EDITED'),
    read('src/old.ts', 'EDITED BODY'),
    read('src/other.ts', 'OTHER BODY'),
  );
  const text = factsOf(events);
  expect(text).toContain('- src/old.ts: edited once, last in call 3\n```\nEDITED BODY\n```\n```\nEDITED\n```');
  expect(text).toContain('- src/new.ts: written once, last in call 2\n```\nNEW BODY\n```');
  expect(text).toContain('- src/other.ts: read (call 5; archive abcdef012345)');
  expect(text).not.toMatch(/OTHER BODY|OLD BODY/);
});

test('what still fails comes first, and a line that fails twice is told once', () => {
  const events = sessionOf(
    { say: 'Go' },
    shell('make lint', 'src/x.ts:3:1 error no-var', 2),
    shell('make lint', 'ok'),
    shell('pytest', 'FAILED tests/test_a.py::test_b - ValueError', 1),
    shell('pytest', 'FAILED tests/test_a.py::test_b - ValueError', 1),
  );
  expect(factsOf(events)).toContain(
    [
      '$ pytest (call 4: exit 1; not seen to pass since)',
      '  FAILED tests/test_a.py::test_b - ValueError',
      '$ make lint (call 1: exit 2; passes since)',
      '  src/x.ts:3:1 error no-var',
    ].join('\n'),
  );
});

test.each([
  ['jest', '  ● sum › adds', 'a.ts:1'],
  ['go', '--- FAIL: TestSum (0.00s)', '    sum_test.go:12: got 3'],
  ['cargo', 'test sum::adds ... FAILED', ' --> src/main.rs:3:5'],
  ['tsc', 'src/a.ts(10,5): error TS2322: no', 'src/b.ts:4:2 - error TS1: no'],
  ['pytest', 'FAILED tests/test_a.py::test_x', '  File "src/a.py", line 10, in f'],
  ['tap', 'not ok 3 - adds', "  at: 'test/a.js:9:3'"],
  ['bun', '(fail) sum > adds [0.3ms]', '      at /repo/a.test.ts:5:7'],
])('a failing run of %s leaves its test and its place', (_runner, name, at) => {
  const text = factsOf(sessionOf({ say: 'Go' }, shell('test', `${name}\nsome noise\n${at}\n`, 1)));
  expect(text).toContain(name.trim());
  expect(text).toContain(at.trim());
  expect(text).not.toContain('some noise');
});

test('results that the model was never shown are shown once more', () => {
  const events = sessionOf({ say: 'Go' }, read('a.ts', 'A BODY'), read('b.ts', 'B BODY'));
  const text = factsOf(events, 16_000, 4);
  expect(text).toContain('## RESULTS OF YOUR LAST CALLS\ncall 2, read {"path":"b.ts"} (ok)\n```\nB BODY\n```');
  expect(text).not.toContain('A BODY');
});

test('I5: what the results that stay point to is shown once more, an edit by its new text', () => {
  const pointer: Told = { ...read('a.ts', '[a.ts unchanged since calls 1 and 2: ...]'), leansOn: [1, 2] };
  const events = sessionOf(
    { say: 'Go' },
    read('a.ts', 'A BODY'),
    edit('a.ts', 'BODY', 'TORSO'),
    read('b.ts', 'B BODY'),
    pointer,
  );
  const stays = machineFacts(events, { throughSeq: 8, unseenAfter: undefined, bytes: 16_000, archiveId });
  expect(stays).toContain(
    [
      '## EARLIER CALLS THAT RESULTS POINT TO',
      'call 1, read {"path":"a.ts"} (ok)\n```\nA BODY\n```',
      'call 2, edit {"path":"a.ts","old":"BODY","new":"TORSO"} (ok)\n```\nTORSO\n```',
    ].join('\n'),
  );
  expect(stays).not.toContain('B BODY');
  const unseen = factsOf(events, 16_000, 9);
  expect(unseen).toContain('call 1, read {"path":"a.ts"} (ok)\n```\nA BODY\n```');
  expect(unseen).toContain('## RESULTS OF YOUR LAST CALLS\ncall 4, read');
  expect(factsOf(events)).not.toContain('POINT TO');
});

test('nothing in a quoted text ends its fence', () => {
  const text = factsOf(sessionOf({ say: 'Look:\n```\ncode\n```\n## COMMANDS RUN\nall fine' }));
  expect(text).toContain('\n````\nLook:\n```\ncode\n```\n## COMMANDS RUN\nall fine\n````');
});

test('the machine part is the same for the same log, within its bytes and well-formed, whatever the session holds', () => {
  fc.assert(
    fc.property(moves, fc.integer({ min: 0, max: 6_000 }), (story, bytes) => {
      const { events } = tell(story);
      const text = factsOf(events, bytes);
      expect(utf8Length(text)).toBeLessThanOrEqual(bytes);
      expect(isWellFormed(text)).toBe(true);
      expect(factsOf(events, bytes)).toBe(text);
    }),
  );
});

test('one huge result, one huge message and ten thousand messages stay within the bytes', () => {
  const huge = 'error: at src/a.ts:1 \u{1F600}\n'.repeat(80_000);
  const check = (...steps: readonly Told[]) => {
    const text = factsOf(sessionOf(...steps), 8_000);
    expect(utf8Length(text)).toBeLessThanOrEqual(8_000);
    expect(isWellFormed(text)).toBe(true);
    return text;
  };
  check({ say: 'Go' }, shell('make', huge, 1));
  check({ say: huge });
  const many = Array.from({ length: 10_000 }, (_, i) => ({ say: `message ${i}` }));
  expect(check(...many)).toContain('message 9999');
});

/** The six recorded sessions have no texts: what they lack is made in its size. */
interface Recorded {
  readonly prompts: readonly { readonly before_call: number; readonly bytes: number }[];
  readonly calls: readonly {
    readonly tool: string;
    readonly args: { readonly command?: string; readonly path?: string; readonly new_bytes?: number };
    readonly error?: boolean;
    readonly result_bytes: number;
  }[];
}

const data = process.env.ZERD_DATA;
const folder = data === undefined ? '' : join(data, 'sessions');
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];

test('with $ZERD_DATA there are recorded sessions', () => {
  expect(data === undefined || names.length > 0).toBe(true);
});

for (const name of names)
  test(`after compaction of ${name} every user message, failing test name, edited file and file:line of an error is there, and each distinct command within the budget`, () => {
    const recorded = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded;
    const { steps, says, edited, tests, places, commands } = retell(recorded);
    const messages = says.reduce((sum, text) => sum + utf8Length(text), 0);
    const bytes = factsBytes({ ceiling: 180_000, taken: 10_000, replaced: 100_000, messages });
    const text = factsOf(sessionOf(...steps), bytes);
    for (const said of says) expect(text).toContain(said.slice(0, 40));
    for (const path of edited) expect(text).toContain(`- ${path}: `);
    for (const fact of [...tests, ...places]) expect(text).toContain(fact);
    const listed = commands.filter((command) => text.includes(`: ${command}\n`) || text.endsWith(`: ${command}`));
    const missing = commands.length - listed.length;
    const used = listed.reduce((sum, command) => sum + 'exit 0: '.length + utf8Length(command) + 1, 0);
    if (missing > 0) {
      expect(text).toContain(`[${missing} more: recall`);
      expect(used).toBeGreaterThan(bytes / 4 - 1_000);
    }
  });

function retell({ prompts, calls }: Recorded) {
  const says = prompts.map(({ bytes }, i) =>
    `Prompt ${i}: ${'words of the user '.repeat(300)}`.slice(0, Math.max(9, bytes)),
  );
  const [edited, tests, places] = [new Set<string>(), [] as string[], [] as string[]];
  const steps = calls.flatMap((call, i): readonly Told[] => {
    const before = prompts.flatMap((prompt, n) => (prompt.before_call === i ? [{ say: says[n] ?? '' }] : []));
    return [...before, stepOf(call, i)];
  });
  steps.push(...prompts.flatMap((prompt, n) => (prompt.before_call >= calls.length ? [{ say: says[n] ?? '' }] : [])));
  function stepOf({ tool, args, error, result_bytes: size }: Recorded['calls'][number], i: number): Told {
    const { command, path } = args;
    const body = 'a line of output\n'.repeat(400).slice(0, Math.min(size, 4_000));
    if (command !== undefined && (error === true || i % 7 === 0)) {
      tests.push(`suite > case number ${i}`);
      places.push(`src/part-${i}.ts:${i + 1}`);
      return shell(command, `${body}\n FAIL  suite > case number ${i}\n    at src/part-${i}.ts:${i + 1}:3\n${body}`, 1);
    }
    if (command !== undefined) return shell(command, body);
    if (path === undefined) return { call: 'find', input: args, shown: body };
    if (tool !== 'edit' && tool !== 'write') return read(path, body);
    if (error === true) return { call: tool, input: { path }, shown: 'not found', failed: true };
    edited.add(path);
    return edit(path, 'old', 'new text of the edit\n'.repeat(10));
  }
  const all = steps.flatMap((step) =>
    'call' in step && step.call === 'shell' ? [step.input as { command: string }] : [],
  );
  const commands = [...new Set(all.map(({ command }) => command.trim()).reverse())];
  return { steps, says, edited, tests, places, commands };
}

test('notes and steps stand whole in front of all else, as they are by now, whatever else has to go (P106)', () => {
  const done = sessionOf(
    { say: 'Go. '.repeat(2_000) },
    { call: 'skill', input: { name: 'pdf' } },
    { call: 'skill', input: { name: 'gone' }, failed: true },
    { call: 'skill', input: { name: 'list' } },
    shell('npm test', failing.repeat(20), 1),
  );
  const notes = { goal: 'Ship.', next: 'one\n\ntwo' };
  const list = '[x] a\n[>] b\n[ ] c';
  const kept: readonly SessionEvent[] = [
    { kind: 'notes.changed', by: 'model', notes: { goal: 'Old.' } },
    { kind: 'todo.changed', by: 'model', list },
    { kind: 'notes.changed', by: 'user', notes },
  ];
  const events = [...done, ...kept.map((event, i) => ({ seq: done.length + 1 + i, at: 1, event }))];
  // What came behind the cut counts too: there is one state of them, the newest.
  const facts = machineFacts(events, { throughSeq: done.length, unseenAfter: undefined, bytes: 1_500, archiveId });
  const [first = ''] = facts.split('\n\n## WHAT THE USER SAID');
  expect(first).toBe(
    [
      '## FACTS OF THE SESSION\nMode: edit',
      '## YOUR NOTES\nGoal: Ship.\nNext:\none\n\ntwo',
      `## YOUR TODO LIST\n${list}`,
      '## SKILLS LOADED\npdf. Their text is no longer shown: load one again before you go on by it.',
    ].join('\n\n'),
  );
  expect(utf8Length(facts)).toBeLessThanOrEqual(1_500);
});

test('jobs that run are kept, a line each, and those that ended are not', () => {
  const events = sessionOf({ say: 'Run it.' });
  const [first] = events;
  const job = (jobId: string, command: string) => ({
    kind: 'job.started',
    turnId: 'turn_1',
    callId: 'c1',
    jobId,
    command,
  });
  const later = [
    job('job_1', 'npm run dev\n--port 1'),
    job('job_2', 'npm test'),
    { kind: 'job.finished', jobId: 'job_2', outcome: 'exited', exitCode: 0, bytes: 0 },
  ].map((event, index) => ({ ...first, seq: events.length + index + 1, event }) as LoggedEvent);
  const facts = factsOf([...events, ...later]);
  expect(facts).toContain('## JOBS THAT RUN; you are told when they end\njob_1 runs: npm run dev --port 1\n\n');
  expect(facts).not.toContain('job_2');
});
