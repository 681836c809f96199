import { expect, test } from '@jest/globals';
import { nextStatus, noStatus, type Status } from '../src/app/status.ts';
import { statusLine, terminalTitle } from '../src/app/status-line.ts';
import { lineText } from '../src/text/style.ts';

function shown(status: Partial<Status>, columns: number, says = '/help'): string {
  const facts = { window: 200_000, cacheTtlMs: undefined, now: 0, says };
  return lineText(statusLine({ ...noStatus, ...status }, facts, columns));
}

const long = 'sim/a-model-with-a-name-that-is-far-longer-than-any-status-line-could-show';

const paid = { model: 'sim/sim', requests: 3, sessionPico: 250_000_000_000, turnPico: 100_000_000_000 };

test.each<[string, Partial<Status>, number, string]>([
  [
    'all of it where there is room',
    { model: 'sim/sim', used: 2_000 },
    50,
    ' sim/sim · ask · 1 % of 200k                /help ',
  ],
  [
    'a name that is long leaves room for the rest',
    { model: long },
    50,
    ' sim/a-model-with-a-… · ask                 /help ',
  ],
  [
    'a model that was chosen and is not asked yet',
    { model: 'sim/sim', chosenModel: 'sim/other' },
    60,
    ' sim/sim → sim/other · ask                            /help ',
  ],
  [
    'what the session cost outlasts what the turn cost',
    { ...paid, used: 2_000, hit: 0.9 },
    60,
    ' sim/sim · ask · 1 % of 200k · cache 90 % · $0.25     /help ',
  ],
  [
    'and what the cache did',
    { ...paid, used: 2_000, hit: 0.9 },
    50,
    ' sim/sim · ask · 1 % of 200k · $0.25        /help ',
  ],
  ['and how full the window is', { ...paid, used: 2_000, hit: 0.9 }, 36, ' sim/sim · ask · $0.25        /help '],
  ['no model', {}, 30, ' no model · ask         /help '],
  ['on a narrow screen what stands last goes first', { model: 'sim/sim', used: 2_000 }, 20, ' sim/sim      /help '],
])('%s', (_, status, columns, line) => {
  expect(shown(status, columns)).toBe(line);
});

test('of what the cache keeps the clock goes before the money', () => {
  const status = { ...noStatus, ...paid, used: 2_000, hit: 0.9, sentAt: 0 };
  const facts = { window: 200_000, cacheTtlMs: 300_000, now: 0, says: '/help' };
  const line = (columns: number) =>
    statusLine(status, facts, columns)
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join('|');
  expect(line(80)).toBe('sim/sim · ask · 1 % of 200k · cache 90 %, warm 5:00 · $0.25 (turn $0.10)|/help');
  expect(line(76)).toBe('sim/sim · ask · 1 % of 200k · cache 90 %, warm 5:00 · $0.25|/help');
  expect(line(66)).toBe('sim/sim · ask · 1 % of 200k · cache 90 % · $0.25|/help');
});

test('what is waited for is whole, and its clock is seen', () => {
  const wait = 'waiting for next attempt at sim/sim after provider_overloaded, 3 s of 8 s';
  expect(shown({ ...paid, used: 2_000 }, 80, wait)).toBe(`${' '.repeat(80 - wait.length - 1)}${wait} `);
});

test('no line is wider than the screen', () => {
  for (let columns = 1; columns < 120; columns++)
    expect(
      shown({ model: long, chosenModel: long, used: 9 }, columns, 'waiting for tool shell, 3 s').length,
    ).toBeLessThanOrEqual(columns);
});

test('the terminal is called after the session, in one line that is not long', () => {
  expect(terminalTitle(noStatus)).toBe('zerd');
  expect(terminalTitle({ ...noStatus, title: 'mend \x1b]2;x it' })).toBe('zerd: mend \\x1b]2;x it');
  expect(terminalTitle({ ...noStatus, title: 'x'.repeat(200) })).toBe(`zerd: ${'x'.repeat(79)}…`);
});

test('an attempt that brought no answer and was charged is part of what is shown as spent, one that was not is none', () => {
  const failure = { code: 'interrupted', message: 'stopped' } as const;
  const failed = { kind: 'request.failed', requestId: 'req_1' as never, turnId: 'turn_1' as never, failure } as const;
  const usage = { uncached: 0, cacheRead: 900, cacheWrite: 100, output: 1, reported: true };
  const charged = nextStatus(noStatus, { ...failed, usage, costPico: 215 }, 1);
  expect([charged.sessionPico, charged.turnPico, charged.unpriced, charged.used]).toEqual([
    215,
    215,
    false,
    noStatus.used,
  ]);
  expect(nextStatus(charged, failed, 2)).toEqual(charged);
  const silent = nextStatus(charged, { ...failed, usage: { ...usage, reported: false }, costPico: null }, 3);
  expect([silent.sessionPico, silent.unpriced]).toEqual([215, true]);
});
