import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const demo = join(import.meta.dirname, '../../scripts/demo.mjs');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zd-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the demonstration with its own temporary folder; `until` ends it with SIGTERM when the output shows that. */
async function run(args: readonly string[], until?: string) {
  const child = spawn(process.execPath, [demo, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stderr.on('data', (part: Buffer) => {
    err += part;
  });
  child.stdout.on('data', (part: Buffer) => {
    const seen = until === undefined || out.includes(until);
    out += part;
    if (!seen && out.includes(until ?? '')) child.kill('SIGTERM');
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, out, err, last: out.trimEnd().split('\n').at(-1) ?? '' };
}

/** Files in the folder of the demonstration and processes that name it. */
function leftBehind(): readonly string[] {
  const commands = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? [commandOf(pid)] : []));
  return [...readdirSync(folder), ...commands.filter((command) => command.includes(folder))];
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It ended while the list was read.
    return '';
  }
}

test('it shows the work, the diff, the tests and the cost, ends with its figures, and leaves nothing behind', async () => {
  const { code, out, err, last } = await run(['--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(Object.keys(JSON.parse(last))).toEqual([
    'green',
    'testsEdited',
    'requests',
    'toolCalls',
    'requestBytes',
    'costUsd',
  ]);
  expect(out).toMatch(
    /✓ edit src\/discount\.js[\s\S]*The diff\n[\s\S]*\+ {2}const reached[\s\S]*The tests\n[\s\S]*green, and the tests were not edited[\s\S]*The cost\n6 requests .*\$0\.\d+\nthe price is made up/,
  );
  expect(leftBehind()).toEqual([]);
});

test('an interrupted demonstration stops its daemon and leaves nothing behind', async () => {
  const { code, out } = await run(['--json'], 'request 1 to');
  expect({ code, judged: out.includes('The tests\n') }).toEqual({ code: 130, judged: false });
  expect(leftBehind()).toEqual([]);
});

test('a wish that does not exist is refused', async () => {
  expect(await run(['--frob'])).toMatchObject({ code: 2, err: expect.stringContaining('--without-fix') });
});
