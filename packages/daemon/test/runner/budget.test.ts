import { afterEach, expect, test } from '@jest/globals';
import { sessionEventSchema } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingQuestion } from '@zerd/protocol/common/methods';
import type { Player, Step } from '@zerd/simulator/players/player';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { eventually, only } from './compaction-scene.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout;
afterEach(async () => {
  clearInterval(driving);
  await scene.close();
});

async function open(wish: SceneWish): Promise<Scene> {
  clock = manualClock();
  scene = await openScene({ files: { 'a.ts': 'export const a = 1;\n' }, ...wish, clock });
  driving = setInterval(() => clock.advance(5), 2);
  return scene;
}

const read: Step = { calls: [{ name: 'read', input: { path: 'a.ts' } }] };
const endless: Player = () => read;
const usd = (pico: number) => pico / 1e12;

async function asked(sessionId: SessionId, times = 1): Promise<PendingQuestion> {
  while (only(scene.events(sessionId), 'question.asked').length < times || scene.runner.waits().length === 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  const [question] = scene.runner.pendingQuestions(sessionId);
  if (question === undefined) throw new Error('nothing is asked');
  return question;
}

const answer = (sessionId: SessionId, { questionId }: PendingQuestion, words: string) =>
  scene.runner.answerQuestion({ sessionId, questionId, answer: words });

/** What the dearest answer cost. */
function longestAnswer(): number {
  return Math.max(...scene.gateway.requests.map(({ output }) => output * 5_000_000));
}

test.each([
  ['of the run', { maxCostUsd: 0.012 }, {}],
  ['of the settings', {}, { budgets: { session: { usd: 0.012 } } }],
])(
  'complaints 2.1: a headless run ends before the request that would pass a limit in money %s',
  async (_, more, config) => {
    const { gateway } = await open({ player: endless, config });
    const { end, sessionId } = await scene.say('Go', { headless: true, ...more });
    const finished = await end;
    expect(finished).toMatchObject({ outcome: 'limit', failure: { code: 'limit_reached' } });
    expect(gateway.requests.length).toBeGreaterThan(2);
    expect(usd(gateway.bill() - longestAnswer())).toBeLessThanOrEqual(0.012);
    expect(only(scene.events(sessionId), 'question.asked')).toEqual([]);
    expect(scene.runner.readBudgets(sessionId)).toEqual([
      {
        scope: 'session',
        limit: { pico: 12_000_000_000 },
        spentPico: gateway.bill(),
        spentTokens: expect.any(Number),
        unpricedRequests: 0,
      },
    ]);
  },
);

const spent = (sessionId: SessionId | undefined) => scene.runner.readBudgets(sessionId)[0];

test('a session may have its limit from its first event on, and a fork of it has the same', async () => {
  await open({ player: endless });
  const wish = { env: scene.env, mode: 'full', trust: true, maxCostUsd: 0.012, maxTokens: 500_000 } as const;
  const { sessionId } = await scene.runner.createSession(wish);
  const limit = { pico: 12_000_000_000, tokens: 500_000 };
  expect(spent(sessionId)).toMatchObject({ scope: 'session', limit, spentPico: 0 });
  const { end } = await scene.say('Go', { sessionId, headless: true });
  expect(await end).toMatchObject({ outcome: 'limit', failure: { code: 'limit_reached' } });
  expect(spent(sessionId)).toMatchObject({ limit });
  const fork = await scene.runner.fork({ sessionId });
  expect(spent(fork.sessionId)).toMatchObject({ limit });
});

test.each([1e-13, 1e-9, 9_500, 1_000_000])(
  'a limit of $%d is kept as one, and what a client reads of it is valid',
  async (maxCostUsd) => {
    await open({ steps: [{ text: 'Done.' }] });
    const { sessionId, end } = await scene.say('Go', { headless: true, maxCostUsd });
    expect(await end).toMatchObject({ outcome: maxCostUsd < 1 ? 'limit' : 'done' });
    for (const { event } of scene.events(sessionId)) expect(sessionEventSchema.safeParse(event).success).toBe(true);
    expect(spent(sessionId)?.limit.pico).toBe(Math.round(maxCostUsd * 1e12));
  },
);

test('a day begins where the clock says it is: set back, it forgets nothing that was spent since', async () => {
  await open({ steps: [{ text: 'Done.' }], config: { budgets: { day: { usd: 1 } } } });
  const { end } = await scene.say('Go');
  await end;
  const today = spent(undefined)?.spentTokens;
  clock.jumpWall(-30 * 3_600_000);
  expect(spent(undefined)?.spentTokens).toBe(today);
  clock.jumpWall(60 * 3_600_000);
  expect(spent(undefined)?.spentTokens).toBe(0);
});

test('a waiting prompt may bring a limit, which holds from its turn on', async () => {
  const steps: readonly Step[] = [{ text: 'One.' }, ...Array.from({ length: 40 }, () => read)];
  await open({ steps });
  const { sessionId, end } = await scene.say('Go', { headless: true, maxCostUsd: 5 });
  await end;
  const wish = { env: scene.env, sessionId, text: 'And on', trust: true, headless: true, maxTokens: 20_000 };
  await scene.runner.queue(wish);
  const ends = () => only(scene.events(sessionId), 'turn.finished').map(({ outcome }) => outcome);
  await eventually(() => ends().length === 2);
  expect(ends()).toEqual(['done', 'limit']);
  expect(only(scene.events(sessionId), 'turn.started').map(({ budget }) => budget)).toEqual([
    { pico: 5_000_000_000_000 },
    { tokens: 20_000 },
  ]);
});

test('a limit in tokens holds alone', async () => {
  const { gateway } = await open({ player: endless });
  const { end, sessionId } = await scene.say('Go', { headless: true, maxTokens: 20_000 });
  expect(await end).toMatchObject({ outcome: 'limit' });
  expect(gateway.requests.length).toBeGreaterThan(2);
  expect(scene.runner.readBudgets(sessionId)[0]?.spentTokens).toBeLessThanOrEqual(20_000 + 100);
});

test('at a limit the turn waits in sight for a word, goes on when it is raised, and ends when it is not', async () => {
  const { gateway } = await open({ player: endless });
  const { sessionId, end } = await scene.say('Go', { maxCostUsd: 0.012 });
  const first = await asked(sessionId);
  expect(first).toMatchObject({ about: 'budget', options: ['Raise it by as much', 'Stop'] });
  expect(first.text).toMatch(
    /^The budget of the session of \$0\.0120 is reached: \$0\.0\d+ is spent, and the next request may take \$0\.0\d+ before its answer\. .* to \$0\.0240\?$/,
  );
  expect(scene.runner.waits()).toMatchObject([{ for: 'your word whether to spend more', sessionId }]);
  const before = gateway.requests.length;
  await answer(sessionId, first, 'Raise it by as much');
  const second = await asked(sessionId, 2);
  expect(gateway.requests.length).toBeGreaterThan(before);
  expect(only(scene.events(sessionId), 'budget.raised')).toMatchObject([
    { scope: 'session', by: { pico: 12_000_000_000 } },
  ]);
  expect(second.text).toContain('to $0.0360?');
  await answer(sessionId, second, 'Stop');
  expect(await end).toMatchObject({ outcome: 'limit', failure: { code: 'limit_reached' } });
  expect(usd(gateway.bill() - longestAnswer())).toBeLessThanOrEqual(0.024);
});

test('after a restart the same question is waited for, and what was allowed stays allowed', async () => {
  await open({ player: endless, config: { budgets: { day: { usd: 0.012 } } } });
  const { sessionId } = await scene.say('Go');
  const question = await asked(sessionId);
  await answer(sessionId, question, 'yes');
  const second = await asked(sessionId, 2);
  await scene.restart(clock);
  const again = await asked(sessionId, 2);
  expect(again.questionId).toBe(second.questionId);
  expect(scene.runner.readBudgets()).toMatchObject([{ scope: 'day', limit: { pico: 24_000_000_000 } }]);
  const ends = scene.until(sessionId, 'turn.finished');
  await answer(sessionId, again, 'Stop');
  expect(await ends).toMatchObject({ outcome: 'limit' });
});

test('a day begins anew at midnight, the repository does not', async () => {
  await open({
    steps: [{ text: 'Done.' }],
    config: { budgets: { day: { usd: 1 }, repository: { tokens: 1_000_000 } } },
  });
  const { end } = await scene.say('Go');
  await end;
  const spent = (at: number) => scene.runner.readBudgets()[at]?.spentTokens;
  expect(spent(0)).toBeGreaterThan(1_000);
  expect(spent(1)).toBe(spent(0));
  clock.jumpWall(25 * 3_600_000);
  expect(spent(0)).toBe(0);
  expect(spent(1)).toBeGreaterThan(1_000);
});

test('without a price money has no limit: that is said once, and tokens have theirs (I11)', async () => {
  const { gateway } = await open({ player: endless, price: undefined as never, modelFacts: { price: undefined } });
  const { end, sessionId } = await scene.say('Go', { headless: true, maxCostUsd: 0.01, maxTokens: 30_000 });
  expect(await end).toMatchObject({ outcome: 'limit' });
  expect(gateway.requests.length).toBeGreaterThan(2);
  const warned = only(scene.events(sessionId), 'budget.warned');
  expect(warned).toHaveLength(1);
  expect(warned[0]?.text).toContain('sim/sim has no price');
});

const silent: Player = () => ({ ...read, usage: 'none' });

test.each(['anthropic', 'responses', 'chat'] as const)(
  'an endpoint over %s that reports no tokens is no way around a limit: they are estimated, and that is said (I11)',
  async (wire) => {
    const { gateway } = await open({ player: silent, wire });
    const { end, sessionId } = await scene.say('Go', { headless: true, maxCostUsd: 0.02 });
    const finished = (await end) as { readonly outcome: string; readonly failure?: { readonly message: string } };
    expect(finished.outcome).toBe('limit');
    expect(finished.failure?.message).toMatch(
      /\$0\.0\d+ is spent \(\$0\.0\d+ of it estimated: not all of it was reported\)/,
    );
    const [budget] = scene.runner.readBudgets(sessionId);
    expect(budget).toMatchObject({ spentPico: budget?.estimatedPico, spentTokens: budget?.estimatedTokens });
    expect(budget?.unpricedRequests).toBe(gateway.requests.length);
    const sent = gateway.requests.reduce((sum, { tokens }) => sum + tokens.total, 0);
    expect((budget?.estimatedTokens ?? 0) / sent).toBeGreaterThan(0.9);
    expect((budget?.estimatedTokens ?? 0) / sent).toBeLessThan(1.4);
    const [turn] = scene.runner.readCost(sessionId).byPurpose;
    expect(turn?.totals).toMatchObject({ costPico: 0, uncached: 0, output: 0, estimatedPico: budget?.estimatedPico });
  },
);

test('what had begun when it broke off and was never reported is estimated; what never began is not', async () => {
  const faults = [
    { fault: { kind: 'cut', at: 'line' }, on: 1 },
    { fault: { kind: 'status', status: 503 }, on: 2 },
  ] as const;
  await open({
    steps: [{ text: 'Said at some length, to be cut off in the middle of it.', usage: 'none' }],
    faults,
    wire: 'chat',
  });
  const { end, sessionId } = await scene.say('Go', { headless: true });
  await end;
  const [broken, refused] = only(scene.events(sessionId), 'request.failed');
  expect(broken).toMatchObject({
    usage: { reported: false },
    costPico: null,
    estimated: { costPico: expect.any(Number) },
  });
  expect(broken?.estimated?.output).toBeGreaterThan(0);
  expect(refused).not.toHaveProperty('estimated');
  expect(refused).not.toHaveProperty('usage');
});

test('of an answer that broke off behind a report of its prompt, what had arrived is estimated and counts in budgets (I11)', async () => {
  await open({
    steps: [{ text: 'Said at some length, to be cut off in the middle of it. '.repeat(200) }],
    faults: [
      { fault: { kind: 'cut', at: 'line' }, on: 1 },
      { fault: { kind: 'status', status: 401 }, on: 2 },
    ],
    wire: 'anthropic',
  });
  const { end, sessionId } = await scene.say('Go', { headless: true, maxCostUsd: 5 });
  await end;
  const [broken] = only(scene.events(sessionId), 'request.failed');
  expect(broken?.usage).toMatchObject({ reported: true });
  const { estimated, costPico } = broken ?? {};
  expect(estimated).toEqual({ prompt: 0, output: expect.any(Number), costPico: (estimated?.output ?? 0) * 5_000_000 });
  expect(estimated?.output).toBeGreaterThan(100);
  const [budget] = scene.runner.readBudgets(sessionId);
  expect(budget).toMatchObject({ spentPico: (costPico ?? 0) + (estimated?.costPico ?? 0), unpricedRequests: 0 });
  expect(scene.runner.readCost(sessionId).byPurpose[0]?.totals).toMatchObject({
    costPico,
    estimatedPico: estimated?.costPico,
    estimatedTokens: estimated?.output,
  });
});

const tasks = Array.from({ length: 8 }, (_, i) => ({
  name: 'task',
  input: { prompt: `Part ${i + 1}: look at a.ts.`, title: `part ${i + 1}` },
}));

/** The parent gives out eight tasks; each of them reads on and on. */
const crew: Player = (view) => {
  const parts = view.messages[0]?.parts ?? [];
  const first = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  if (/Part \d/.test(first)) return read;
  return view.messages.length > 1 ? { text: 'All said.' } : { calls: tasks };
};

test.each([
  ['session', { maxCostUsd: 0.06 }, {}],
  ['subagents', {}, { budgets: { subagents: { usd: 0.05 } } }],
])('eight sub-agents at once do not overrun a budget of the %s', async (scope, more, config) => {
  const { gateway } = await open({ player: crew, config, modelFacts: { maxOutput: 500 } });
  const { end, sessionId } = await scene.say('Go', { headless: true, ...more });
  await end;
  const [budget] = scene.runner.readBudgets(sessionId);
  expect(budget?.scope).toBe(scope);
  expect((budget?.spentPico ?? 0) - longestAnswer()).toBeLessThanOrEqual(budget?.limit.pico ?? 0);
  expect(gateway.requests.length).toBeGreaterThan(9);
  const children = scene.rows().filter(({ parentId }) => parentId === sessionId);
  expect(children).toHaveLength(8);
  for (const child of children)
    expect(only(scene.events(child.sessionId), 'turn.finished')).toMatchObject([{ outcome: 'limit' }]);
});

test('of those that spend of the same budget one asks, and a no holds for all', async () => {
  await open({ player: crew, modelFacts: { maxOutput: 500 }, config: { budgets: { day: { usd: 0.06 } } } });
  const { end, sessionId } = await scene.say('Go');
  while (scene.runner.pendingQuestions(sessionId).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  const pending = scene.runner.pendingQuestions(sessionId);
  expect(pending).toHaveLength(1);
  const [question] = pending;
  const asker = question?.sessionId ?? sessionId;
  await scene.runner.answerQuestion({ sessionId: asker, questionId: question?.questionId as never, answer: 'Stop' });
  await end;
  const all = scene.rows().flatMap((row) => only(scene.events(row.sessionId), 'question.asked'));
  expect(all).toHaveLength(1);
});

const unanswered: SceneWish = {
  steps: [{ text: 'Done.' }],
  faults: [{ fault: { kind: 'no-answer' }, times: 1 }],
};
const estimateIn = (sessionId: SessionId) =>
  only(scene.events(sessionId), 'request.failed').map((event) => event.estimated);

/** What one prompt of the scene comes to, by the gateway. */
function checkEstimate(sessionId: SessionId): void {
  const [sent] = scene.gateway.requests;
  const [budget] = scene.runner.readBudgets(sessionId);
  const [estimated, ...more] = estimateIn(sessionId);
  expect(more).toEqual([]);
  expect(estimated).toEqual({ prompt: expect.any(Number), output: 0, costPico: (estimated?.prompt ?? 0) * 1_000_000 });
  expect((estimated?.prompt ?? 0) / (sent?.tokens.total ?? 0)).toBeGreaterThan(0.8);
  expect((estimated?.prompt ?? 0) / (sent?.tokens.total ?? 0)).toBeLessThan(1.4);
  expect(budget).toMatchObject({ estimatedPico: estimated?.costPico, estimatedTokens: estimated?.prompt });
}

test.each(['anthropic', 'responses', 'chat'] as const)(
  'a request over %s that is interrupted before its first byte counts in a budget by an estimate of its prompt (I11)',
  async (wire) => {
    await open({ ...unanswered, wire });
    const { sessionId, end } = await scene.say('Go', { headless: true, maxCostUsd: 5 });
    await eventually(() => scene.runner.waits().some((wait) => wait.for.startsWith('first event')));
    await scene.runner.interrupt(sessionId);
    expect(await end).toMatchObject({ outcome: 'interrupted' });
    checkEstimate(sessionId);
  },
);

test.each(['anthropic', 'responses', 'chat'] as const)(
  'a request over %s that was under way when the daemon was killed counts in a budget by an estimate of its prompt (I11)',
  async (wire) => {
    await open({ ...unanswered, wire });
    const { sessionId } = await scene.say('Go', { maxCostUsd: 5 });
    await eventually(() => scene.gateway.requests.length === 1);
    await scene.restart(clock);
    expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
    checkEstimate(sessionId);
  },
);
