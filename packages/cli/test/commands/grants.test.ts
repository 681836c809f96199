import { expect, test } from '@jest/globals';
import { fakeDaemon, start } from '../fake-daemon.ts';

const rules = [
  { rule: 'make', from: 'configuration' },
  { rule: 'npm test *', from: 'repository' },
];

async function outcome(argv: readonly string[], known: readonly object[] = rules) {
  const daemon = fakeDaemon();
  for (const method of ['grant/list', 'grant/add', 'grant/remove']) daemon.on(method, () => ({ rules: known }));
  const { screen, code: ending } = start(['grants', ...argv], daemon);
  const code = await ending;
  const asked = daemon.requests.flatMap(({ method, params }) =>
    method.startsWith('grant/') ? [[method, params]] : [],
  );
  return { code, out: screen.out, err: screen.err, asked };
}

const list = 'make   (configuration)\nnpm test *\n';

test.each([
  [[], { code: 0, out: list, err: '', asked: [['grant/list', {}]] }],
  [['list'], { code: 0, out: list, err: '', asked: [['grant/list', {}]] }],
  [['add', 'npm test *'], { code: 0, out: list, err: '', asked: [['grant/add', { rule: 'npm test *' }]] }],
  [['remove', 'make'], { code: 0, out: list, err: '', asked: [['grant/remove', { rule: 'make' }]] }],
  [['--json'], { code: 0, out: `${JSON.stringify(rules)}\n`, err: '', asked: [['grant/list', {}]] }],
])('grants %j', async (argv, expected) => {
  expect(await outcome(argv)).toEqual(expected);
});

test('nothing allowed is said', async () => {
  expect((await outcome([], [])).out).toBe('Nothing is allowed but what only looks.\n');
});

test.each([
  [['drop'], "'drop' is not one of list, add or remove."],
  [['add'], "Say which command: zerd grants add 'npm test *'"],
  [['list', 'make'], 'The list takes no command.'],
])('grants %j is refused before anything is asked', async (argv, says) => {
  const { code, err } = await outcome(argv);
  expect([code, err.includes(says)]).toEqual([2, true]);
});
