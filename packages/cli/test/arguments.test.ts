import { expect, test } from '@jest/globals';
import { methods } from '@zerd/protocol/common/methods';
import fc from 'fast-check';
import { parseArguments } from '../src/arguments.ts';
import { commands } from '../src/command-list.ts';
import { nearest } from '../src/nearest.ts';
import { options } from '../src/options.ts';
import { plainArguments } from '../src/plain-arguments.ts';

/** The command line, split at spaces, and what it means. */
function check(line: string, expected: object): void {
  const intention = parseArguments(line === '' ? [] : line.split(' '));
  const told = intention.kind === 'perform' ? { command: intention.command.name, args: intention.args } : intention;
  expect(told).toMatchObject(expected);
}

const performed: readonly (readonly [line: string, command: string, args: object])[] = [
  ['run fix it', 'run', { prompt: ['fix', 'it'] }],
  ['run', 'run', { prompt: [] }],
  ['run -', 'run', { prompt: ['-'] }],
  ['run 007', 'run', { prompt: ['007'] }],
  ['run -- --not-an-option', 'run', { prompt: ['--not-an-option'] }],
  ['run a -- -b', 'run', { prompt: ['a', '-b'] }],
  [
    'run --model a/b --mode full --trust --max-requests 3 --json x',
    'run',
    { prompt: ['x'], model: 'a/b', mode: 'full', trust: true, 'max-requests': 3, json: true },
  ],
  [
    'run --session ses_1 --stream-json --no-daemon x',
    'run',
    { prompt: ['x'], session: 'ses_1', 'stream-json': true, 'no-daemon': true },
  ],
  ['run --image a.png x', 'run', { prompt: ['x'], image: ['a.png'] }],
  ['run --image a.png --image b.png what is it', 'run', { prompt: ['what', 'is', 'it'], image: ['a.png', 'b.png'] }],
  ['say --image a.png like this', 'say', { text: ['like', 'this'], image: ['a.png'] }],
  ['run --continue x', 'run', { prompt: ['x'], continue: true }],
  ['run review - --json --json', 'run', { prompt: ['review', '-'], json: true }],
  ['run --model a/b --model c/d x', 'run', { prompt: ['x'], model: 'c/d' }],
  ['rpc daemon/status', 'rpc', { method: 'daemon/status' }],
  ['rpc session/read -', 'rpc', { method: 'session/read', params: '-' }],
  ['rpc session/read {"limit":1}', 'rpc', { method: 'session/read', params: '{"limit":1}' }],
  ['watch ses_1 --until-idle --json', 'watch', { session: ['ses_1'], 'until-idle': true, json: true }],
  ['rpc --list', 'rpc', { list: true }],
  ['completion zsh', 'completion', { shell: 'zsh' }],
  ['watch ses_1 ses_2', 'watch', { session: ['ses_1', 'ses_2'] }],
  ['sessions', 'sessions', {}],
  ['sessions --json', 'sessions', { json: true }],
  ['trust --show', 'trust', { show: true }],
  ['trust --revoke', 'trust', { revoke: true }],
  ['cost --session ses_1 --json', 'cost', { session: 'ses_1', json: true }],
];

for (const [line, command, args] of performed)
  test(`'zerd ${line}' performs ${command}`, () => {
    const intention = parseArguments(line.split(' '));
    expect(intention).toMatchObject({ kind: 'perform', command: { name: command } });
    expect(intention.kind === 'perform' && intention.args).toEqual(args);
  });

test('S-09: what looks like an option inside a prompt is what the prompt says', () => {
  for (const text of ['--settings={"mode":"full"} go', 'say --mode full --trust', 'zerd://run?mode=full&trust=1'])
    for (const words of [['run', '--', text], ...(text.startsWith('-') ? [] : [['run', text]])])
      expect(parseArguments(words)).toMatchObject({ kind: 'perform', args: { prompt: [text] } });
  const hidden = parseArguments(['run', 'say --mode full --trust']);
  expect(hidden.kind === 'perform' && hidden.args).toEqual({ prompt: ['say --mode full --trust'] });
});

const refused: readonly (readonly [line: string, message: string, hint: string])[] = [
  ['frob', `There is no command 'frob'. A task for the model: zerd run "…"`, 'See `zerd --help`.'],
  ['version x', `There is no command 'version'. A task for the model: zerd run "…"`, 'See `zerd --help`.'],
  ['fix', `There is no command 'fix'. A task for the model: zerd run "…"`, 'See `zerd --help`.'],
  ['sesions', `There is no command 'sesions'. Did you mean sessions?`, 'See `zerd --help`.'],
  ['serach x', `There is no command 'serach'. Did you mean search?`, 'See `zerd --help`.'],
  ['rnu x', `There is no command 'rnu'. Did you mean run?`, 'See `zerd --help`.'],
  ['--frob', 'There is no option --frob.', 'See `zerd --help`.'],
  ['run --modell a x', 'There is no option --modell. Did you mean --model?', 'See `zerd run --help`.'],
  ['sessions --nope', 'There is no option --nope.', 'See `zerd sessions --help`.'],
  ['run --model', '--model takes a value, and none was given.', 'See `zerd run --help`.'],
  ['run --max-requests 0 x', '--max-requests takes a whole number from 1.', 'See `zerd run --help`.'],
  ['run --max-requests 1.5 x', '--max-requests takes a whole number from 1.', 'See `zerd run --help`.'],
  ['run --max-cost 0 x', '--max-cost takes dollars, as 0.50.', 'See `zerd run --help`.'],
  ['run --max-tokens 1.5 x', '--max-tokens takes a whole number from 1.', 'See `zerd run --help`.'],
  ['run --max-requests many x', '--max-requests takes a whole number from 1.', 'See `zerd run --help`.'],
  ['run x --image', '--image takes a value, and none was given.', 'See `zerd run --help`.'],
  ['say --image a.png', '--image goes with what you say.', 'See `zerd say --help`.'],
  ['run --session ses_1 --continue x', 'Use one of --session and --continue.', 'See `zerd run --help`.'],
  ['run --json --stream-json x', 'Use one of --json and --stream-json.', 'See `zerd run --help`.'],
  ['run --session 1 x', `'1' is no session id: they begin with ses_.`, 'See `zerd run --help`.'],
  ['rpc', 'Name a method, or use --list.', 'See `zerd rpc --help`.'],
  ['rpc --list daemon/status', 'Use --list alone.', 'See `zerd rpc --help`.'],
  [
    'rpc daemon/state --help',
    `There is no method 'daemon/state'. Did you mean daemon/status?`,
    'See `zerd rpc --help`.',
  ],
  ['search x -g', '-g takes a value, and none was given.', 'See `zerd search --help`.'],
  ['search', 'Something is missing: zerd search <pattern> [path]', 'See `zerd search --help`.'],
  ['index anew', `'anew' is not one of status or rebuild.`, 'See `zerd index --help`.'],
  ['watch', 'Something is missing: zerd watch <session..>', 'See `zerd watch --help`.'],
  ['watch ses', `'ses' is no session id: they begin with ses_.`, 'See `zerd watch --help`.'],
  ['watch ses_1 2', `'2' is no session id: they begin with ses_.`, 'See `zerd watch --help`.'],
  ['trust --show --revoke', 'Use one of --show and --revoke.', 'See `zerd trust --help`.'],
  ['sessions --no-pe=1 --json', 'There is no option --no-pe.', 'See `zerd sessions --help`.'],
  ['sessions -x', 'There is no option -x.', 'See `zerd sessions --help`.'],
  ['sessions all', `'all' was not expected: it is a word too many.`, 'See `zerd sessions --help`.'],
  ['sessions -- all', `'all' was not expected: it is a word too many.`, 'See `zerd sessions --help`.'],
];

for (const [line, message, hint] of refused)
  test(`'zerd ${line}' is refused with a hint`, () => check(line, { kind: 'refuse', message, hint }));

test('what only a programmer reads as a number is refused by every option that takes one', () => {
  const options: readonly (readonly [words: readonly string[], message: string])[] = [
    [['run', '--max-cost'], '--max-cost takes dollars, as 0.50.'],
    [['run', '--max-tokens'], '--max-tokens takes a whole number from 1.'],
    [['drive', '--max-requests'], '--max-requests takes a whole number from 1.'],
    [['find', 'x', '--limit'], '--limit takes a whole number from 1 to 1000.'],
    [['search', 'x', '-C'], '--context takes a whole number up to 1000.'],
  ];
  for (const number of ['0x10', '1e3', '0b11', '1_000', '1,5', 'NaN', '-1', ' ', ''])
    for (const [words, message] of options) {
      const hint = `See \`zerd ${words[0]} --help\`.`;
      expect(parseArguments([...words, number])).toEqual({ kind: 'refuse', message, hint });
    }
});

test('a task that is given without a command is shown with one', () => {
  const hint = 'See `zerd --help`.';
  const task = 'fix the "tests"';
  const message = `There is no command '${task}'. A task for the model: zerd run "fix the \\"tests\\""`;
  expect(parseArguments([task])).toEqual({ kind: 'refuse', message, hint });
  const long = parseArguments(['word '.repeat(50)]);
  expect(long).toMatchObject({ message: expect.stringMatching(/A task for the model: zerd run "…"$/) });
});

test.each([[['version']], [['-v']], [['-V']], [['--version']]])('%j says the version', (words) => {
  expect(parseArguments(words)).toMatchObject({ kind: 'show', text: expect.stringMatching(/^zerd \d/) });
});

test('a mode that does not exist is refused with those that do', () => {
  const intention = parseArguments(['run', '--mode', 'wild', 'x']);
  expect(intention).toMatchObject({
    kind: 'refuse',
    message: `--mode takes read-only, ask, edit or full, not 'wild'.`,
  });
});

test('a shell without a script is refused with those that have one', () => {
  const message = `'fish' is not one of bash or zsh.`;
  check('completion fish', { kind: 'refuse', message, hint: 'See `zerd completion --help`.' });
});

test('help and version are shown and start nothing', () => {
  check('', { kind: 'show', text: expect.stringContaining('zerd run "make the tests pass"') });
  check('--help', { kind: 'show', text: expect.stringContaining('Exit status: 0 done') });
  check('run --help', { kind: 'show', text: expect.stringContaining('--max-requests') });
  check('rpc --help', { kind: 'show', text: expect.stringContaining('session/subscribe') });
  check('rpc turn/start --help', { kind: 'show', text: expect.stringContaining('maxRequests?  integer from 1') });
  check('rpc session/delta --help', {
    kind: 'show',
    text: expect.stringMatching(/^session\/delta: sent by the daemon/),
  });
  check('--version', { kind: 'show', text: 'zerd 0.1.0\n' });
});

test('a guess is near, or there is none', () => {
  expect(nearest('sesions', ['run', 'sessions'])).toBe('sessions');
  expect(nearest('xyz', ['run', 'sessions'])).toBeUndefined();
});

/** What may follow on a line whose last word is being typed. */
function checkFollowing(line: string, expected: object): void {
  expect(parseArguments(['--get-yargs-completions', 'zerd', ...line.split(' ')])).toEqual({
    kind: 'complete',
    declared: [],
    topics: {},
    sessions: false,
    ...expected,
  });
}

test('commands, options, values, methods and sessions are completed where they fit', () => {
  // yargs looks at it to know how to write.
  process.env.SHELL = '/bin/bash';
  checkFollowing('', { declared: commands.map(({ name }) => name) });
  checkFollowing('completion ', { declared: ['bash', 'zsh'] });
  checkFollowing('run --mode ', { declared: ['read-only', 'ask', 'edit', 'full'] });
  checkFollowing('run --session ', { sessions: true });
  checkFollowing('watch ses_', { sessions: true });
  checkFollowing('watch ses_1 --', { declared: ['--help', '--version', '--until-idle', '--json'] });
  checkFollowing('rpc tu', { topics: expect.objectContaining({ 'turn/start': methods['turn/start'].says }) });
  checkFollowing('rpc turn/start {', {});
});

const word = fc.oneof(
  fc.constantFrom(
    '-',
    '--',
    '-x',
    'true',
    'false',
    '0',
    '3',
    '1e3',
    'full',
    'ses_1',
    'a/b',
    '"q"',
    "'q'",
    '',
    '--json=',
  ),
  fc.constantFrom(...Object.keys(options).map((name) => `--${name}`)),
  fc.constantFrom(...Object.keys(options).map((name) => `--${name}=3`)),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\0')),
);
const line = fc.tuple(fc.constantFrom(...commands.map(({ name }) => name), 'rnu'), fc.array(word, { maxLength: 6 }));

test('what is read without yargs means the same with it', () => {
  let plain = 0;
  const sameAsYargs = ([name, words]: readonly [string, readonly string[]]) => {
    const read = plainArguments([name, ...words]);
    if (read === undefined) return;
    plain += 1;
    expect({ kind: 'perform', ...read }).toEqual(parseArguments([name, ...words]));
  };
  fc.assert(fc.property(line, sameAsYargs), { numRuns: 1500 });
  expect(plain).toBeGreaterThan(150);
});

test('the common command lines are read without yargs', () => {
  const read = performed.filter(([text]) => plainArguments(text.split(' ')) !== undefined).map(([text]) => text);
  const left = performed.map(([text]) => text).filter((text) => !read.includes(text));
  expect(left).toEqual([
    'run -- --not-an-option',
    'run a -- -b',
    'run --image a.png --image b.png what is it',
    'run review - --json --json',
    'run --model a/b --model c/d x',
  ]);
});

test.each([60, 80, 100])('every help fits a terminal of %i columns, but for examples to paste', (columns) => {
  const asked = [
    ['--help'],
    ...commands.map(({ name }) => [name, '--help']),
    ...['turn/start', 'session/rewind', 'auth/login'].map((name) => ['rpc', name, '--help']),
  ];
  const example = /^ {2}zerd rpc |^ {2}.*\S{40}/;
  const tooLong = asked.flatMap((argv) => {
    const intention = parseArguments(argv, columns);
    const lines = intention.kind === 'show' ? intention.text.split('\n') : ['no help'];
    return lines
      .filter((line) => line.length > columns && !example.test(line))
      .map((line) => `${argv.join(' ')}: ${line}`);
  });
  expect(tooLong).toEqual([]);
});

test('a positional that takes any number of words has no default that is an empty list', () => {
  for (const { name } of commands) check(`${name} --help`, { text: expect.not.stringContaining('[default: []]') });
});
