import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { probe } from '../../src/node/probe.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-probe-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('nobody listens where there is no socket', async () => {
  expect(await probe(join(folder, 'zerdd.sock'))).toBe('absent');
  expect(await probe(join(folder, 'none', 'zerdd.sock'))).toBe('absent');
});

test('a socket that may not be opened is an expected failure with what to do, never a defect', async () => {
  const path = join(folder, 'zerdd.sock');
  symlinkSync(path, path);
  await expect(probe(path)).rejects.toMatchObject({
    code: 'daemon_unavailable',
    message: `The socket ${path} cannot be opened (ELOOP): connect ELOOP ${path}. Nothing was started or changed. Mend its permissions, or set XDG_RUNTIME_DIR to a folder of your own.`,
  });
});
