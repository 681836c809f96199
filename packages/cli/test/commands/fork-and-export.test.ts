import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SessionRow } from '@zerd/protocol/common/methods';
import { treeTable } from '../../src/commands/sessions.ts';
import { fakeDaemon, start } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

const row = (sessionId: string, createdAt: number, more: Partial<Record<keyof SessionRow, unknown>> = {}) =>
  ({
    sessionId,
    createdAt,
    updatedAt: 0,
    lastSeq: 9,
    title: `about ${sessionId}`,
    model: 'sim/sim',
    mode: 'ask',
    state: 'idle',
    requests: 1,
    costPico: 0,
    unpricedRequests: 0,
    ...more,
  }) as SessionRow;

const rows = [
  row('ses_5', 5, { forkOf: { sessionId: 'ses_gone', seq: 2 } }),
  row('ses_4', 4, { forkOf: { sessionId: 'ses_2', seq: 7 } }),
  row('ses_3', 3, { parentId: 'ses_1' }),
  row('ses_2', 2, { forkOf: { sessionId: 'ses_1', seq: 12 } }),
  row('ses_1', 1),
];

test('forks and sub-agents are shown below what they come from', () => {
  const lines = treeTable(rows, { now: 0 }).trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/ {2,}\d+ s ago.*\$0\S* */, ' | ').trimEnd())).toEqual([
    expect.stringMatching(/^SESSION/),
    'ses_5 | [fork at 2] about ses_5',
    'ses_1 | about ses_1',
    '  ses_2 | [fork at 12] about ses_2',
    '    ses_4 | [fork at 7] about ses_4',
    '  ses_3 | [sub-agent] about ses_3',
  ]);
});

test('the list leaves sub-agents out and says so, and whoever goes on with the newest session gets none of them', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [rows[2], rows[4]] }));
  daemon.on('session/fork', () => ({ sessionId: 'ses_9', seq: 9 }));
  const { out } = await outcome(start(['sessions'], daemon));
  expect(out).toContain('ses_1');
  expect(out).toMatch(/Not shown: 1 of sub-agents\. See `zerd sessions --tree`\.\n$/);
  expect(await outcome(start(['fork'], daemon))).toEqual({ code: 0, out: 'ses_9\n', err: '' });
  expect(daemon.requests.at(-1)).toEqual({ method: 'session/fork', params: { sessionId: 'ses_1' } });
});

test('in a terminal the list fits its width: titles lose their end and models their beginning; in a pipe both are whole', async () => {
  const model = 'gateway/some-family/a-model-of-a-very-long-name-2026-11';
  const title = 'Make the tests of the whole house pass, then update the documents';
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [row('ses_1', 1, { model, title }), row('ses_2', 1)] }));
  const listed = async (outputColumns: number | undefined) =>
    (await outcome(start(['sessions'], daemon, { outputColumns }))).out.trimEnd().split('\n');
  const whole = await listed(undefined);
  expect(whole[1]).toContain(`${model}  `);
  expect(whole[1]?.endsWith(title)).toBe(true);
  const narrow = await listed(100);
  expect(narrow.map((line) => line.length)).toEqual([expect.any(Number), 100, expect.any(Number)]);
  expect(Math.max(...narrow.map((line) => line.length))).toBe(100);
  expect(narrow[1]).toMatch(/ …\S+-long-name-2026-11 .* Make the tests of the w\S*…$/);
  expect(await listed(200)).toEqual(whole);
});

test('a fork is made where it is asked for', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/fork', () => ({ sessionId: 'ses_9', seq: 40 }));
  const { out } = await outcome(start(['fork', 'ses_1', '--at', '40', '--json'], daemon));
  expect(JSON.parse(out)).toEqual({ sessionId: 'ses_9', seq: 40, forkOf: 'ses_1' });
  expect(daemon.requests.at(-1)).toEqual({ method: 'session/fork', params: { sessionId: 'ses_1', atSeq: 40 } });
  expect((await outcome(start(['fork', '--at', 'req_1'], daemon))).err).toContain(
    "'req_1' is no event: they are numbered from 1.",
  );
});

test('an export joins its pages, on the screen or in a file', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/export', ({ after = 0 }: { after?: number }) =>
    after < 2 ? { text: `page ${after}\n`, next: after + 1 } : { text: 'end\n' },
  );
  expect(await outcome(start(['export', 'ses_1', '--format', 'json'], daemon))).toEqual({
    code: 0,
    out: 'page 0\npage 1\nend\n',
    err: '',
  });
  expect(daemon.requests.at(-1)?.params).toEqual({ sessionId: 'ses_1', format: 'json', after: 2 });
  const folder = mkdtempSync(join(tmpdir(), 'zerd-export-'));
  try {
    const file = join(folder, 'session.md');
    const { out, err } = await outcome(start(['export', 'ses_1', '-o', file], daemon));
    expect([out, err]).toEqual(['', `Written to ${file}.\n`]);
    expect(readFileSync(file, 'utf8')).toBe('page 0\npage 1\nend\n');
    const { code } = await outcome(start(['export', 'ses_1', '-o', join(folder, 'no', 'x')], daemon));
    expect(code).not.toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
