import { mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { checkJobs } from '../../src/jobs/check-jobs.ts';
import { checkLogin } from '../../src/login/check-login.ts';
import { registerRoots } from '../../src/login/registered.ts';
import { checkArchive, checkDisk, checkStore } from '../../src/store/check-store.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder } from './temporary.ts';

test('the doctor finds a sound store, counts its archive and the room that is left', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock: systemClock });
  await store.append(one, [said('x')]);
  await store.archive.put('a body');
  expect(checkStore(store, folder)).toMatchObject({ ok: true, says: expect.stringMatching(/sound: .* 1 session\. /) });
  expect(await checkArchive(folder)).toEqual({ ok: true, says: '1 body, 0.0 MB.' });
  expect((await checkDisk(folder)).says).toMatch(/ free where /);
  await store.close();
});

test('an archive and a folder that are gone are told with what to do', async () => {
  const folder = join(temporaryFolder(), 'gone');
  const todo = 'Put it back, or mend its permissions: it must be yours to read and write.';
  const archive = join(folder, 'archive');
  expect(await checkArchive(folder)).toEqual({ ok: false, says: `${archive} cannot be used (ENOENT).`, todo });
  expect(await checkDisk(folder)).toEqual({ ok: false, says: `${folder} cannot be used (ENOENT).`, todo });
});

test('F-39: the doctor explains a database that was moved aside, and how to read it', async () => {
  const folder = temporaryFolder();
  const first = await openStore({ folder, clock: systemClock });
  for (let count = 0; count < 5; count++) await first.append(one, [said('x'.repeat(5_000))]);
  await first.close();
  truncateSync(join(folder, databaseName), statSync(join(folder, databaseName)).size - 4096);
  const store = await openStore({ folder, clock: systemClock });
  expect(checkStore(store, folder)).toMatchObject({
    ok: false,
    says: expect.stringContaining('.damaged-'),
    todo: expect.stringContaining('zerd export'),
  });
  await store.close();
});

test('the doctor names jobs whose end is not known', () => {
  const job = (jobId: string, outcome?: string) => ({ jobId, ...(outcome && { end: { outcome } }) });
  const check = (...all: object[]) => checkJobs({ list: () => all as never, left: () => [] });
  expect(check(job('job_1'), job('job_2', 'exited'))).toEqual({
    ok: true,
    says: '1 running, 1 ended since the daemon began.',
  });
  expect(check(job('job_3', 'lost'))).toMatchObject({ ok: false, says: expect.stringContaining('job_3') });
});

test('the doctor says whether the daemon starts at login, and misses what was to start it', () => {
  const folder = temporaryFolder();
  const env = { XDG_STATE_HOME: folder };
  const unit = join(folder, 'unit');
  expect(checkLogin(env, '/repo', unit)).toMatchObject({ ok: true, says: expect.stringContaining('first client') });
  registerRoots(env, ['/repo']);
  expect(checkLogin(env, '/repo', unit)).toMatchObject({ ok: false });
  mkdirSync(unit);
  expect(checkLogin(env, '/repo', unit)).toMatchObject({ ok: true, says: expect.stringContaining('at login') });
});
