import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionCost, Totals } from '@zerd/protocol/common/methods';
import { forecastText } from '../../src/present/forecast-text.ts';
import { created } from '../events.ts';
import { fakeDaemon, requestId, sessionId, start } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

const none: Totals = {
  requests: 0,
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  costPico: 0,
  unpricedRequests: 0,
};
const totals: Totals = { ...none, requests: 4, uncached: 1_000, cacheRead: 3_000, output: 50, costPico: 2e12 };
const quiet: SessionCost = {
  sessionId,
  byPurpose: [{ purpose: 'turn', totals }],
  subagents: none,
  misses: [],
  notReported: [],
  carried: [],
  advice: [],
};

function daemonWith(session: SessionCost) {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('cost/read', ({ sessionId: of }: { readonly sessionId?: string }) => ({
    totals,
    byModel: [{ model: 'sim/sim', totals }],
    ...(of === undefined ? {} : { session }),
  }));
  return daemon;
}

const table = 'MODEL    REQUESTS  IN    CACHED  OUT  COST\nsim/sim  4         4.0k  75 %    50   $2.00\n';

test('a session in which nothing is worth a word is its table alone', async () => {
  expect(await outcome(start(['cost', 'ses_1'], daemonWith(quiet)))).toEqual({ code: 0, out: table, err: '' });
});

test('what is left of budgets stands under the totals', async () => {
  const daemon = fakeDaemon();
  const spent = { spentPico: 4.2e11, spentTokens: 120_000, unpricedRequests: 0 };
  daemon.on('cost/read', () => ({
    totals,
    byModel: [{ model: 'sim/sim', totals }],
    budgets: [
      { scope: 'session', limit: { pico: 1e12, tokens: 100_000 }, ...spent },
      { scope: 'day', limit: { pico: 5e12 }, ...spent, unpricedRequests: 2 },
    ],
  }));
  expect((await outcome(start(['cost', 'ses_1'], daemon))).out).toBe(
    `${table}budget of the session: $0.42 of $1.00 spent, $0.58 left\n` +
      'budget of the session: 120.0k of 100.0k tokens spent, 0 left\n' +
      'budget of today: $0.42 of $5.00 spent, $4.58 left, beside 2 unpriced requests\n',
  );
});

const missed = { requestId, seq: 9, at: 0, model: 'sim/sim', read: 0, planned: false } as const;
const dear: SessionCost = {
  ...quiet,
  byPurpose: [...quiet.byPurpose, { purpose: 'compaction', totals: { ...none, requests: 1, costPico: 1e10 } }],
  subagents: { ...none, requests: 3, costPico: 5e11 },
  misses: [
    { ...missed, tokens: 20_000, costPico: 4e10, cause: 'idle', blame: 'yours', says: 'idle for 7 min 12 s' },
    {
      ...missed,
      tokens: 30_000,
      costPico: 6e10,
      cause: 'providerSide',
      blame: 'provider',
      says: 'the provider lost it\x1b[2J',
      diagnosis: 'unavailable',
    },
    {
      ...missed,
      tokens: 9_000,
      costPico: null,
      cause: 'trimmed',
      blame: 'ours',
      planned: true,
      segment: 'message 4',
      says: 'old results were cleared',
    },
  ],
  notReported: ['local/m'],
  advice: ['shell npm test: $0.90. Let the command say less.'],
};

test('misses come with tokens, price, whose doing and why, the dearest first; what was planned stands apart', async () => {
  const { out } = await outcome(start(['cost', '--session', 'ses_1'], daemonWith(dear)));
  expect(out.slice(table.length).split('\n')).toEqual([
    'summaries: $0.01 in 1 request',
    'sub-agents, beside that: $0.5 in 3 requests',
    'local/m: the endpoint says nothing of its cache, so nothing is known of misses',
    '50.0k tokens were paid again though the cache had held it: $0.1',
    '  REQUEST  TOKENS  COST   BY        WHY',
    '  req_1    30.0k   $0.06  provider  the provider lost it\\x1b[2J; the provider: unavailable',
    '  req_1    20.0k   $0.04  you       idle for 7 min 12 s',
    '9.0k tokens were written anew on purpose, as it was expected to save more: unpriced',
    '  REQUEST  TOKENS  COST      BY    WHY',
    '  req_1    9.0k    unpriced  zerd  old results were cleared (from message 4 on)',
    'worth acting on:',
    '  shell npm test: $0.90. Let the command say less.',
    '',
  ]);
});

test('without a session the newest one is told in detail below the totals of all, or not at all', async () => {
  const { out } = await outcome(start(['cost'], daemonWith(dear)));
  expect(out).toContain(`${table}\nThe newest session, ses_1:\nsummaries: $0.01`);
  expect((await outcome(start(['cost'], daemonWith(quiet)))).out).toBe(table);
});

test('the JSON of a session has every miss; a session is named once', async () => {
  const daemon = daemonWith(dear);
  expect(JSON.parse((await outcome(start(['cost', 'ses_1', '--json'], daemon))).out)).toMatchObject({
    hitRate: 0.75,
    session: { misses: [{ cause: 'idle' }, { cause: 'providerSide' }, { cause: 'trimmed', costPico: null }] },
  });
  expect(await outcome(start(['cost', 'ses_1', '--session', 'ses_1'], daemon))).toMatchObject({ code: 2 });
});

const seen = {
  plan: 'keep',
  prompt: 215_000,
  read: 0,
  rewritten: 214_000,
  costPico: 1.6e12,
  why: 'idle for 20 min, and the provider keeps it for 5 min',
  ways: [
    { kind: 'send', costPico: 1.6e12, prompt: 215_000 },
    { kind: 'compact', costPico: 1.9e12, prompt: 12_000 },
    { kind: 'new', costPico: 2e10, prompt: 3_000 },
  ],
  warn: true,
} as const;

test('a forecast says what is re-written, why, its price, and the other ways', () => {
  expect(forecastText(sessionId, { ...seen, ways: [...seen.ways] }).split('\n')).toEqual([
    'This message re-writes 214.0k tokens, about $1.60 of input (idle for 20 min, and the provider keeps it for 5 min).',
    '  compact first: about $1.90, then 12.0k tokens a request (zerd compact --session ses_1)',
    '  start a new session: about $0.02, then 3.0k tokens a request (zerd run without --continue)',
    '',
  ]);
  const unpriced = { ...seen, costPico: null, rewritten: 0, why: undefined as never, ways: [] };
  expect(forecastText(sessionId, unpriced)).toBe('This message sends 215.0k tokens, about an unknown sum of input.\n');
});

test.each([
  ['a person who goes on is told before it is sent', ['run', '--continue', 'go on'], true, true, 1],
  ['below the threshold nothing is said', ['run', '--continue', 'go on'], true, false, 0],
  ['nobody is told when nobody looks', ['run', '--continue', 'go on'], false, true, 0],
  ['a new conversation has nothing to foresee', ['run', 'go on'], true, true, 0],
  ['JSON is for programs', ['run', '--continue', '--json', 'go on'], true, true, 0],
])('%s', async (_name, argv, terminal, warn, times) => {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('cost/forecast', () => ({ ...seen, warn }));
  daemon.on('turn/start', () => {
    throw new ZerdError('key_missing', 'No key.');
  });
  const { err, out } = await outcome(start(argv, daemon, { inputIsTerminal: terminal, progressIsTerminal: terminal }));
  expect(`${err}${out}`.split('This message re-writes').length - 1).toBe(times);
});

test('a daemon that foresees nothing does not keep the turn from starting', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('cost/forecast', () => {
    throw new ZerdError('unknown_method', 'There is no such method.');
  });
  daemon.on('turn/start', () => {
    throw new ZerdError('key_missing', 'No key.');
  });
  const ended = await outcome(
    start(['run', '--continue', 'go on'], daemon, { inputIsTerminal: true, progressIsTerminal: true }),
  );
  expect(ended.err).toContain('No key.');
});
