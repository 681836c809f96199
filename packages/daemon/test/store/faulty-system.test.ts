/** R-02, F-41: what the store promises when the system refuses calls. `ZERD_SWEEP=1` sweeps further. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { openStore } from '../../src/store/open.ts';
import { bundleProgram, modulesFolder } from './program.ts';
import { one, temporaryFolder } from './temporary.ts';

const programs = mkdtempSync(join(tmpdir(), 'zerd-programs-'));
const env = { NODE_PATH: modulesFolder(), PATH: process.env.PATH ?? '' };
const built = { appendForever: '', runOutOfFiles: '', openOnce: '' };
beforeAll(() => {
  chmodSync(programs, 0o755);
  built.appendForever = bundleProgram('append-forever', programs);
  built.runOutOfFiles = bundleProgram('run-out-of-files', programs);
  built.openOnce = bundleProgram('open-once', programs);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

/** Tracing needs strace and the right to trace: where one is missing the test is skipped by its name. */
const traces = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const testTraced = traces ? test : test.skip;

/** Which call fails how, from its so many-th time on. */
const faults: readonly (readonly [call: string, error: string, from: number])[] =
  process.env.ZERD_SWEEP === undefined
    ? [
        ['fdatasync,fsync', 'EIO', 30],
        ['pwrite64', 'ENOSPC', 120],
        ['pwrite64', 'EIO', 400],
        ['ftruncate', 'EIO', 1],
      ]
    : ['fdatasync,fsync', 'pwrite64', 'ftruncate', 'openat', 'rename'].flatMap((call) =>
        ['EIO', 'ENOSPC'].flatMap((error) => [1, 7, 30, 120, 400].map((from) => [call, error, from] as const)),
      );

for (const [call, error, from] of faults) {
  testTraced(
    `R-02: ${call} that fails with ${error} from time ${from} on takes back nothing that was acknowledged`,
    async () => {
      const folder = temporaryFolder();
      const inject = `inject=${call}:error=${error}:when=${from}+`;
      const program = ['timeout', '-s', 'KILL', '2', process.execPath, built.appendForever, folder];
      const trace = ['-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
      const ran = spawnSync('strace', [...trace, ...program], { env, encoding: 'utf8' });
      const acknowledged = Number(ran.stdout.trim().split('\n').at(-1) ?? 0);
      if (from >= 30) expect(acknowledged).toBeGreaterThan(0);
      const store = await openStore({ folder, clock: systemClock });
      const seqs = store.read(one).map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
      expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
      expect(store.movedAside).toBeUndefined();
      await store.close();
    },
  );
}

test('EMFILE: without a file to spare the log goes on, the archive refuses, and both work again afterwards', () => {
  const script = 'ulimit -n 64; exec "$0" "$@"';
  const folder = temporaryFolder();
  const said = execFileSync('bash', ['-c', script, process.execPath, built.runOutOfFiles, folder], {
    env,
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toMatchObject({
    before: 'ok',
    code: 'EMFILE',
    archive: 'store_failed',
    archiveAgain: 'ok',
    after: 'ok',
  });
});

/** Modes mean nothing to root: another user opens the store. */
const nobody = 65_534;
const testAsNobody = process.getuid?.() === 0 ? test : test.skip;

function openAsNobody(folder: string): {
  readonly code?: string;
  readonly message?: string;
  readonly sessions?: number;
} {
  const options = { env, uid: nobody, gid: nobody, cwd: '/', encoding: 'utf8' as const };
  return JSON.parse(execFileSync(process.execPath, [built.openOnce, folder], options));
}

testAsNobody('F-41: a state folder that may not be written or made is refused in words, and left as it was', () => {
  const parent = temporaryFolder();
  chmodSync(parent, 0o755);
  const foreign = join(parent, 'foreign');
  mkdirSync(foreign, { mode: 0o755 });
  const own = join(parent, 'own');
  mkdirSync(own, { mode: 0o700 });
  chownSync(own, nobody, nobody);
  expect(openAsNobody(join(parent, 'new'))).toEqual({
    code: 'store_unsafe',
    message: expect.stringContaining('EACCES'),
  });
  expect(openAsNobody(foreign)).toEqual({ code: 'store_unsafe', message: expect.stringContaining('another user') });
  expect(openAsNobody(own)).toEqual({ sessions: 0 });
});

testAsNobody('F-41: a database that may only be read is refused in words, not moved aside', () => {
  const parent = temporaryFolder();
  chmodSync(parent, 0o755);
  const own = join(parent, 'own');
  mkdirSync(own, { mode: 0o700 });
  chownSync(own, nobody, nobody);
  expect(openAsNobody(own)).toEqual({ sessions: 0 });
  chownSync(join(own, 'zerd.db'), 0, 0);
  chmodSync(join(own, 'zerd.db'), 0o644);
  const { code, message } = openAsNobody(own);
  expect([code, message?.includes('It was kept as it is.')]).toEqual(['store_failed', true]);
});
