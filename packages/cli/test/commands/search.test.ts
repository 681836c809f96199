import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { IndexReport } from '@zerd/protocol/common/search';
import { fakeDaemon, settled, start } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

const none = { hits: [], totalMatches: 0, totalFiles: 0, synced: true };
const hit = (path: string, line: number, text: string, column?: number) => ({
  path,
  line,
  text,
  ...(column === undefined ? {} : { column }),
});

async function searched(argv: readonly string[], found: object) {
  const daemon = fakeDaemon();
  daemon.on('search/query', () => found);
  const ended = await outcome(start(['search', ...argv], daemon));
  return { ...ended, params: daemon.requests.at(-1)?.params };
}

test('search takes the options of ripgrep and prints as it does; the exit status is 0', async () => {
  const hits = [hit('src/a.ts', 2, 'const fold = 1', 6), hit('src/b\x1b.ts', 9, 'fold()', 0)];
  const argv = ['-i', '-w', '-F', '-g', '*.ts', '-t', 'ts', '-C', '2', '-U', '-S', 'fold', 'src'];
  expect(await searched(argv, { ...none, hits, totalMatches: 2, totalFiles: 2 })).toEqual({
    code: 0,
    out: 'src/a.ts:2:const fold = 1\nsrc/b\\x1b.ts:9:fold()\n',
    err: '',
    params: {
      pattern: 'fold',
      path: 'src',
      glob: '*.ts',
      type: 'ts',
      literal: true,
      ignoreCase: true,
      smartCase: true,
      wholeWord: true,
      multiline: true,
      context: 2,
    },
  });
});

test('context lines stand with a dash, and groups are parted', async () => {
  const hits = [hit('a', 1, 'x'), hit('a', 2, 'needle', 0), hit('a', 9, 'needle', 0), hit('b', 1, 'needle', 0)];
  expect(await searched(['-C', '1', 'needle'], { ...none, hits, totalMatches: 3, totalFiles: 2 })).toMatchObject({
    code: 0,
    out: 'a-1-x\na:2:needle\n--\na:9:needle\n--\nb:1:needle\n',
  });
});

test('no match is 1 and says what was left aside; an answer that is not whole, or an error, is 2', async () => {
  expect(await searched(['needle'], { ...none, partial: true })).toMatchObject({
    code: 1,
    out: '',
    err: 'zerd: No matches. Hidden and ignored files were not searched; a path can name one.\n',
  });
  const cut = {
    ...none,
    hits: [hit('a', 1, 'needle', 0)],
    totalMatches: 900,
    totalFiles: 7,
    incomplete: 'stopped after 20 s',
  };
  expect(await searched(['needle'], cut)).toMatchObject({
    code: 2,
    err: 'zerd: 1 shown of 900 matches in 7 files; narrow the search\nzerd: Not all of it was searched: stopped after 20 s\n',
  });
  const daemon = fakeDaemon();
  daemon.on('search/query', () => {
    throw new ZerdError('invalid_params', 'The pattern was not accepted: unclosed group.');
  });
  expect(await outcome(start(['search', 'a('], daemon))).toEqual({
    code: 2,
    out: '',
    err: 'zerd: The pattern was not accepted: unclosed group.\nSee `zerd search --help`.\n',
  });
});

test('search prints counts, or the answer as JSON', async () => {
  const found = { ...none, hits: [hit('a', 1, 'needle', 0)], totalMatches: 3, totalFiles: 1 };
  expect((await searched(['-c', 'needle'], found)).out).toBe('3 matches in 1 file\n');
  expect(JSON.parse((await searched(['--json', 'needle'], found)).out)).toEqual(found);
});

test('find prints paths, the best first, and says when there are more', async () => {
  const daemon = fakeDaemon();
  daemon.on('file/find', () => ({ paths: ['src/fold.ts', 'a\nb'], total: 3, synced: true }));
  expect(await outcome(start(['find', 'fold', '--limit', '2'], daemon))).toEqual({
    code: 0,
    out: 'src/fold.ts\na\\nb\n',
    err: 'zerd: 2 shown of 3 files\n',
  });
  expect(daemon.requests).toEqual([{ method: 'file/find', params: { typed: 'fold', limit: 2 } }]);
  daemon.on('file/find', () => ({ paths: [], total: 0, synced: true }));
  expect(await outcome(start(['find', 'zzz'], daemon))).toEqual({ code: 1, out: '', err: 'zerd: No file fits.\n' });
});

const ready: IndexReport = {
  state: 'ready',
  files: 78_255,
  corpusBytes: 1_298_600_000,
  indexBytes: 169_900_000,
  segments: 2,
  changed: 3,
  removed: 1,
  builtAt: 1_000_000 - 600_000,
  buildMs: 14_100,
  why: 'there was none',
  watch: { phase: 'live', folders: 5_095, catchUpMs: 812, overflows: 0 },
};

test('index says how large and how fresh it is, and why it was built', async () => {
  const daemon = fakeDaemon();
  daemon.on('index/status', () => ready);
  expect((await outcome(start(['index'], daemon))).out).toBe(
    [
      'ready',
      'why       there was none',
      'files     78255, 1298.6 MB',
      'index     169.9 MB (13 %)',
      'built     10 min ago, in 14.1 s',
      'since     3 changed, 1 removed',
      'watch     live, 5095 folders; what had changed unwatched was found in 812 ms',
      '',
    ].join('\n'),
  );
  const { builtAt: _builtAt, why: _why, ...unbuilt } = ready;
  daemon.on('index/status', () => ({
    ...unbuilt,
    state: 'building',
    progress: { files: 10, totalFiles: 90, bytes: 1, totalBytes: 9 },
    watch: { phase: 'polling', folders: 0, overflows: 0, why: 'no watches left (ENOSPC)' },
  }));
  expect((await outcome(start(['index', 'status'], daemon))).out).toBe(
    'building; searches scan the tree until it is done (indexing: 10 of 90 files)\nwatch     polling (no watches left (ENOSPC)), 0 folders\n',
  );
  expect((await outcome(start(['index', 'drop'], daemon))).code).toBe(2);
});

test('index rebuild waits until the new one is built', async () => {
  const daemon = fakeDaemon();
  daemon.on('index/status', () => ready);
  daemon.on('index/rebuild', () => ready);
  const running = start(['index', 'rebuild', '--json'], daemon);
  await settled();
  daemon.send('index/progress', { ...ready, progress: { files: 1, totalFiles: 2, bytes: 1, totalBytes: 2 } });
  daemon.send('index/progress', ready);
  await settled();
  expect(running.screen.out).toBe('');
  daemon.send('index/progress', { ...ready, builtAt: 999_999, why: 'zerd asked' });
  expect(await running.code).toBe(0);
  expect(JSON.parse(running.screen.out)).toMatchObject({ builtAt: 999_999, why: 'zerd asked' });
  expect(daemon.requests.map(({ method }) => method)).toEqual(['index/status', 'index/rebuild']);
});

test.each<[string, Partial<IndexReport>, number]>([
  ['fails', { failed: { at: 999_000, why: 'ENOSPC: no space left on device' } }, 1],
  ['finds the tree to be small', { state: 'small' }, 0],
])('index rebuild ends when the build %s', async (_what, found, code) => {
  const { builtAt: _builtAt, ...before } = { ...ready, failed: { at: 5, why: 'of earlier' }, state: 'none' as const };
  const daemon = fakeDaemon();
  daemon.on('index/status', () => before);
  daemon.on('index/rebuild', () => before);
  const running = start(['index', 'rebuild', '--json'], daemon);
  await settled();
  daemon.send('index/progress', before);
  await settled();
  expect(running.screen.out).toBe('');
  const { failed: _failed, ...now } = before;
  daemon.send('index/progress', { ...now, ...found });
  expect(await running.code).toBe(code);
  expect(JSON.parse(running.screen.out)).toMatchObject(found);
});

test('doctor prints a line for each check, and what to do; something wrong is exit 1', async () => {
  const daemon = fakeDaemon();
  const checks = [{ name: 'index', ok: true, says: 'Ready.' }];
  daemon.on('daemon/doctor', () => ({ checks }));
  expect(await outcome(start(['doctor'], daemon))).toEqual({ code: 0, out: 'ok     index: Ready.\n', err: '' });
  daemon.on('daemon/doctor', () => ({
    checks: [...checks, { name: 'store', ok: false, says: 'Full.', todo: 'Free space.' }],
  }));
  expect(await outcome(start(['doctor'], daemon))).toEqual({
    code: 1,
    out: 'ok     index: Ready.\nwrong  store: Full.\n       Free space.\n',
    err: '',
  });
});
