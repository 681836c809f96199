import { expect, test } from '@jest/globals';
import type { Desk } from '../src/app/desk.ts';
import { grants } from '../src/app/grants.ts';

const rules = [
  { rule: 'make', from: 'configuration' },
  { rule: 'npm test *', from: 'repository' },
];

/** What the daemon is asked and the person is told; `chosen`: the entry on which Enter is pressed. */
async function outcome(rest: string, known: readonly object[] = rules, chosen?: number) {
  const seen: unknown[] = [];
  const desk = {
    feed: {
      async request(method: string, params: object) {
        seen.push([method, params]);
        return { rules: known };
      },
    },
    say: (tone: string, text: string) => void seen.push(`${tone}: ${text}`),
    choose(
      title: string,
      items: readonly { label: string; detail: string; value: string }[],
      pick: (v: string) => void,
    ) {
      seen.push([title, ...items.map(({ label, detail }) => [label, detail].filter(Boolean).join(' | '))]);
      if (chosen !== undefined) pick(items[chosen]?.value ?? '');
    },
  } as unknown as Desk;
  await grants(desk, rest);
  await new Promise((resolve) => setImmediate(resolve));
  return seen;
}

const list = ['grant/list', {}];
const shown = [
  'What runs without asking: Enter takes one back',
  'make | in your configuration file, changed there',
  'npm test *',
];

test.each<[string, Parameters<typeof outcome>, unknown[]]>([
  [
    'a command is allowed',
    ['npm run *'],
    [['grant/add', { rule: 'npm run *' }], 'good: Runs without asking from now on: npm run *'],
  ],
  ['what is allowed is listed', [''], [list, shown]],
  [
    'one of the repository is taken back',
    ['', rules, 1],
    [list, shown, ['grant/remove', { rule: 'npm test *' }], 'good: Is asked about again: npm test *'],
  ],
  [
    'one of the configuration is changed there',
    ['', rules, 0],
    [list, shown, 'dim: It stands in your configuration file: change it there.'],
  ],
  [
    'nothing allowed is said, with what to do',
    ['', []],
    [list, 'dim: Nothing runs without asking but what only looks. /grants npm test * allows a command.'],
  ],
])('%s', async (_, given, expected) => {
  expect(await outcome(...given)).toEqual(expected);
});
