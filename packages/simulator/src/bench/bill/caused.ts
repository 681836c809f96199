/**
 * Misses caused on purpose in the real house, one for each cause that can be brought about from outside, with what the
 * ledger has to call it. What only a defect or a later feature can cause is caused in the log: see `caused-in-log`.
 */
import type { Player, Step } from '../../players/player.ts';
import type { Wire } from '../../wire.ts';
import { type FoundMiss, mismatches, readCost } from './compare.ts';
import { type BillHouse, type BillWish, openBillHouse } from './house.ts';

export interface Caused {
  readonly name: string;
  readonly right: boolean;
  readonly found: readonly FoundMiss[];
}

export interface CausedRun {
  readonly caused: readonly Caused[];
  readonly mismatches: number;
}

interface Scenario {
  readonly name: string;
  readonly model?: string;
  /** Happens between the first turn and the second. */
  between?(house: BillHouse, sessionId: string): Promise<void> | void;
  readonly nextModel?: string;
  readonly steps?: (house: () => BillHouse) => readonly Step[];
  /** Cause, blame and perhaps the provider's word of each miss. */
  readonly expected: readonly (readonly [cause: string, blame: string, diagnosis?: string])[];
  readonly notReported?: boolean;
}

const text = Array.from({ length: 400 }, (_, i) => `export const value${i} = compute(${i * 7}, 'name${i}');\n`).join(
  '',
);
const files = new Map(['a.ts', 'b.ts', 'c.ts'].map((name, i) => [name, text.replaceAll('value', `value${i}x`)]));
const read = (path: string): Step => ({ calls: [{ name: 'read', input: { path } }] });
const done: Step = { text: 'Done.' };
const tooLong = 432_000;

const usual: readonly Scenario[] = [
  { name: 'nothing happens', expected: [] },
  { name: 'the user is away', between: (house) => house.jump(tooLong), expected: [['idle', 'yours']] },
  {
    name: 'the provider loses everything',
    between: (house) => house.gateway.evict(),
    expected: [['providerSide', 'provider']],
  },
  {
    name: 'the provider keeps the system text alone',
    between: (house) => house.gateway.evict('messages'),
    expected: [['providerSide', 'provider']],
  },
  { name: 'another model', nextModel: 'other', expected: [['modelChanged', 'yours']] },
  {
    name: 'a summary',
    between: async (house, sessionId) => void (await house.zerd('compact', '--session', sessionId, '--trust')),
    expected: [['compacted', 'ours']],
  },
  {
    name: 'a tool runs too long',
    steps: (house) => [
      read('a.ts'),
      read('b.ts'),
      { calls: [{ name: 'shell', input: { command: house().jumpCommand(tooLong) } }] },
      done,
      done,
    ],
    expected: [['idle', 'ours']],
  },
];

const ofAnthropic: readonly Scenario[] = [
  {
    name: 'below the minimum',
    model: 'high',
    between: (house) => house.jump(tooLong),
    expected: [
      ['belowMinimum', 'provider'],
      ['belowMinimum', 'provider'],
      ['belowMinimum', 'provider'],
    ],
  },
  {
    name: 'an endpoint that hides its cache',
    model: 'silent',
    between: (house) => house.jump(tooLong),
    expected: [],
    notReported: true,
  },
  ...diagnosed('asked', 'askedToo'),
];

/** With the provider's own account. */
function diagnosed(model: string, other: string): readonly Scenario[] {
  return [
    {
      name: 'lost, and the provider was asked',
      model,
      between: (house) => house.gateway.evict(),
      expected: [['providerSide', 'provider']],
    },
    {
      name: 'away, and the provider was asked',
      model,
      between: (house) => house.jump(tooLong),
      expected: [['idle', 'yours']],
    },
    {
      name: 'another model, and the provider was asked',
      model,
      nextModel: other,
      expected: [['modelChanged', 'yours', 'model_changed']],
    },
  ];
}

export async function causeMisses(): Promise<CausedRun> {
  const runs = [
    await causeOver('anthropic', [...usual, ...ofAnthropic]),
    await causeOver('responses', [...usual, ...diagnosed('asked', 'askedToo')]),
    await causeOver('chat', usual),
    await causeTrim(),
  ];
  return {
    caused: runs.flatMap((run) => run.caused),
    mismatches: runs.reduce((sum, run) => sum + run.mismatches, 0),
  };
}

async function causeOver(wire: Wire, scenarios: readonly Scenario[]): Promise<CausedRun> {
  let open: BillHouse | undefined;
  const house = () => {
    if (open === undefined) throw new Error('the house is not open yet');
    return open;
  };
  const wish = { name: `caused-${wire}`, wire, files, player: player(scenarios, house), models: modelsOf(wire) };
  open = await openBillHouse(wish);
  try {
    const caused: Caused[] = [];
    const sessions: string[] = [];
    for (const [i, scenario] of scenarios.entries()) {
      const sessionId = await playScenario(open, scenario, i);
      sessions.push(sessionId);
      caused.push(await judge(open, { ...scenario, name: `${wire}: ${scenario.name}` }, sessionId));
    }
    return { caused, mismatches: await mismatches(open, sessions) };
  } finally {
    await open.close();
  }
}

function modelsOf(wire: Wire): NonNullable<BillWish['models']> {
  const asked = wire === 'chat' ? {} : { diagnosis: wire === 'anthropic' ? 'anthropic' : 'openai' };
  return {
    asked: { said: asked },
    askedToo: { said: asked },
    high: { said: { minPrefix: 60_000, reportsCache: true }, served: { minPrefix: 60_000 } },
    silent: { served: { hidesCache: true } },
  };
}

/** Each conversation begins with the number of its scenario. */
function player(scenarios: readonly Scenario[], house: () => BillHouse): Player {
  return (view, memory) => {
    const parts = view.messages[0]?.parts ?? [];
    const first = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
    const scenario = scenarios[Number(/scenario (\d+)/.exec(first)?.[1] ?? -1)];
    const steps = scenario?.steps?.(house) ?? [read('a.ts'), read('b.ts'), done, done];
    return steps[memory.deliveredHere] ?? done;
  };
}

async function playScenario(house: BillHouse, scenario: Scenario, at: number): Promise<string> {
  const { model = 'sim', nextModel = model, between } = scenario;
  const sessionId = await house.say(`This is scenario ${at}. Look at the files.`, { model });
  await between?.(house, sessionId);
  await house.say('And now go on.', { sessionId, model: nextModel });
  return sessionId;
}

async function judge(house: BillHouse, scenario: Scenario, sessionId: string): Promise<Caused> {
  const { session } = await readCost(house, sessionId);
  const found = session.misses;
  const same = (miss: FoundMiss, [cause, blame, diagnosis]: Scenario['expected'][number]) =>
    miss.cause === cause && miss.blame === blame && (diagnosis === undefined || miss.diagnosis === diagnosis);
  const named =
    found.length === scenario.expected.length &&
    scenario.expected.every((one, i) => {
      const miss = found[i];
      return miss !== undefined && same(miss, one);
    });
  const silent = session.notReported.length > 0;
  return { name: scenario.name, right: named && silent === (scenario.notReported ?? false), found };
}

/** Old results are cleared before every request, whatever that costs. */
async function causeTrim(): Promise<CausedRun> {
  const steps = [read('a.ts'), read('b.ts'), read('c.ts'), done];
  const house = await openBillHouse({
    name: 'caused-trim',
    wire: 'anthropic',
    files,
    player: (_view, memory) => steps[memory.delivered] ?? done,
    context: { relief: 'every', window: 1 },
  });
  try {
    const sessionId = await house.say('Look at the files.');
    const { session } = await readCost(house, sessionId);
    const right =
      session.misses.length > 0 &&
      session.misses.every(
        ({ cause, blame, segment }) => cause === 'trimmed' && blame === 'ours' && (segment ?? '').startsWith('message'),
      );
    const caused = [{ name: 'anthropic: old results are cleared', right, found: session.misses }];
    return { caused, mismatches: await mismatches(house, [sessionId]) };
  } finally {
    await house.close();
  }
}
