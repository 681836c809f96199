import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openLog } from '../../src/base/log.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-log-'));
  file = join(folder, 'zerdd.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = (path = file) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a line is JSON with time, process, level, message and facts; an error keeps its stack', () => {
  const log = openLog(file);
  log.info('started', { root: '/r' });
  log.error('broke', { error: new TypeError('x') });
  expect(lines()).toEqual([
    { level: 30, time: expect.any(Number), pid: process.pid, root: '/r', msg: 'started' },
    {
      level: 50,
      time: expect.any(Number),
      pid: process.pid,
      error: { type: 'TypeError', message: 'x', stack: expect.stringContaining('log.test') },
      msg: 'broke',
    },
  ]);
});

test('S-64: a secret that comes with an error or is known is in no line', () => {
  const log = openLog(file);
  log.conceal?.(['canary-of-a-client']);
  log.error('broke', { error: new Error('401 for sk-ant-api03-canary4711canary4711, canary-of-a-client') });
  expect(readFileSync(file, 'utf8')).not.toContain('canary');
  expect(lines()).toMatchObject([{ error: { message: '401 for [redacted], [redacted]' } }]);
});

test('the file is private whatever the umask and whatever it was', () => {
  const before = process.umask(0);
  writeFileSync(file, '', { mode: 0o666 });
  openLog(file).info('x');
  process.umask(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('it goes on in the file that is there, and is set aside when it is full', () => {
  openLog(file, 500).info('first');
  const log = openLog(file, 500);
  for (let i = 0; i < 20; i++) log.info(`line ${i}`);
  expect(statSync(file).size).toBeLessThan(600);
  expect(statSync(`${file}.1`).size).toBeLessThan(600);
  const kept = [...lines(`${file}.1`), ...lines()].map(({ msg }) => msg);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => `line ${20 - kept.length + i}`));
});

test('a log that was removed is begun anew when it is full', () => {
  const log = openLog(file, 200);
  log.info('a'.repeat(200));
  rmSync(file);
  log.info('b');
  expect([lines().map(({ msg }) => msg), existsSync(`${file}.1`)]).toEqual([['b'], false]);
});

test('what could not be written is counted in the next line', () => {
  const log = openLog(file, 10);
  log.info('a');
  rmSync(folder, { recursive: true });
  log.info('b');
  log.info('c');
  mkdirAgain();
  log.info('d');
  expect(lines()).toEqual([expect.objectContaining({ msg: 'd', lostLines: 2 })]);
});

function mkdirAgain(): void {
  const made = mkdtempSync(join(tmpdir(), 'zerd-log-'));
  renameSync(made, folder);
}

test('a symlink in its place is refused', () => {
  writeFileSync(join(folder, 'target'), '');
  symlinkSync(join(folder, 'target'), file);
  expect(() => openLog(file)).toThrow('ELOOP');
});
