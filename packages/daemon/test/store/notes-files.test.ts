import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openNotesFiles } from '@zerd/daemon/store/notes-files';
import type { SessionId } from '@zerd/protocol/common/ids';

const sessionId = 'ses_1' as SessionId;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'notes-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a file is private, whole, and leaves nothing beside it (S-54)', async () => {
  const files = openNotesFiles(join(folder, 'notes'));
  expect(await files.read(sessionId)).toBeUndefined();
  await files.write(sessionId, 'one\n');
  await files.write(sessionId, 'two\n');
  expect(await files.read(sessionId)).toBe('two\n');
  expect(readdirSync(join(folder, 'notes'))).toEqual(['ses_1.md']);
  expect(statSync(files.place(sessionId)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'notes')).mode & 0o777).toBe(0o700);
});

test('a link, a pipe or a folder in its place is never read, and a link is replaced, not followed (S-54)', async () => {
  const files = openNotesFiles(folder);
  writeFileSync(join(folder, 'target'), 'kept');
  symlinkSync(join(folder, 'target'), files.place(sessionId));
  expect(await files.read(sessionId)).toBeUndefined();
  await files.write(sessionId, 'own\n');
  expect(execFileSync('cat', [join(folder, 'target')]).toString()).toBe('kept');
  expect(await files.read(sessionId)).toBe('own\n');
  const pipe = 'ses_2' as SessionId;
  execFileSync('mkfifo', [files.place(pipe)]);
  expect(await files.read(pipe)).toBeUndefined();
  const inTheWay = 'ses_3' as SessionId;
  mkdirSync(files.place(inTheWay));
  expect(await files.read(inTheWay)).toBeUndefined();
  await expect(files.write(inTheWay, 'x')).rejects.toMatchObject({ code: 'store_failed' });
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
