import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ZerdError } from '../../src/common/errors.ts';
import { forgetFailedStarts, heldBack, noteFailedStart } from '../../src/node/failed-starts.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-starts-'));
  file = join(folder, 'failed-starts.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const broken = new ZerdError('store_unsafe', 'The database is of a newer zerd.');
const minute = 60_000;

function fail(...at: readonly number[]): void {
  for (const moment of at) noteFailedStart(file, broken, moment);
}

test('F-36: after five failed starts in ten minutes none is tried for a minute, and the last error is told', () => {
  fail(0, 1_000, 2_000, 3_000);
  expect(heldBack(file, 3_000)).toBeUndefined();
  fail(4_000);
  expect(heldBack(file, 5_000)).toMatchObject({
    code: 'store_unsafe',
    message: expect.stringMatching(/^The database is of a newer zerd\. 5 starts failed .* for 59 s/),
  });
  expect(heldBack(file, 4_000 + minute)).toBeUndefined();
  fail(4_000 + minute);
  expect(heldBack(file, 4_001 + minute)).toBeDefined();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('F-36: failures of long ago, of the future or before a start that worked hold nothing back', () => {
  fail(0, 1, 2, 3, 4);
  expect(heldBack(file, 11 * minute)).toBeUndefined();
  expect(heldBack(file, -minute)).toBeUndefined();
  forgetFailedStarts(file);
  expect(heldBack(file, 5)).toBeUndefined();
});

test('F-36: a file that cannot be read or written holds nothing back and hides no failure', () => {
  writeFileSync(file, 'not JSON');
  expect(heldBack(file, 0)).toBeUndefined();
  expect(() => noteFailedStart(join(folder, 'missing', 'file'), broken, 0)).not.toThrow();
});
