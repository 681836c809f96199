import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeBenchFolder } from '../../src/bench/private-folder.ts';

let temporary = '';
let owned = '';

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'bench-'));
  owned = join(temporary, `zerd-bench-${userInfo().uid}`);
});

afterEach(() => {
  rmSync(temporary, { recursive: true });
});

const files = new Map([['src/a.txt', 'a']]);

test('the folder has the same name each time, holds only what was asked, is private and can be removed', () => {
  const first = makeBenchFolder('x', files, temporary);
  writeFileSync(join(first.repository, 'left-over'), '');
  const second = makeBenchFolder('x', files, temporary);
  expect([second.repository, existsSync(join(second.repository, 'left-over'))]).toEqual([
    join(owned, 'x/repository'),
    false,
  ]);
  expect(readFileSync(join(second.repository, 'src/a.txt'), 'utf8')).toBe('a');
  for (const folder of [owned, second.repository, second.config, second.runtime])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  second.remove();
  expect(existsSync(join(owned, 'x'))).toBe(false);
});

test('a folder that others may enter is refused', () => {
  mkdirSync(owned);
  chmodSync(owned, 0o755);
  expect(() => makeBenchFolder('x', files, temporary)).toThrow('is not a private folder of this user');
});

test('a folder that another bench uses is refused, one that a dead bench left is not', () => {
  makeBenchFolder('x', files, temporary);
  writeFileSync(join(owned, 'x/pid'), String(process.ppid));
  expect(() => makeBenchFolder('x', files, temporary)).toThrow(`is in use by process ${process.ppid}`);
  writeFileSync(join(owned, 'x/pid'), '2147483646');
  expect(makeBenchFolder('x', files, temporary).repository).toBe(join(owned, 'x/repository'));
});
