/** What the demonstration prints is what happened: the tests are run, and without the mending step they stay red. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { endDaemons } from '../support/left-alive.ts';
import { type Finished, runProgram } from '../support/run-program.ts';

const demo = join(import.meta.dirname, '../../scripts/demo.mjs');
const minute = 60_000;

/** Runs it with an empty home and no key, and holds it to leaving nothing alive. */
async function runDemo(...args: readonly string[]): Promise<Finished> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-demo-spec-')));
  try {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' };
    return await runProgram([process.execPath, demo, '--json', ...args], { cwd: home, env, deadlineMs: minute });
  } finally {
    await endDaemons(home);
    rmSync(home, { recursive: true, force: true });
  }
}

function lastLine({ stdout }: Finished): unknown {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

for (const wire of ['anthropic', 'chat']) {
  test(
    `over ${wire} the tests become green, the tests are not edited, and the figures are those of the run`,
    async () => {
      const run = await runDemo('--wire', wire);
      const report = lastLine(run);
      expect({ code: run.code, report }).toEqual({
        code: 0,
        report: {
          green: true,
          testsEdited: false,
          requests: expect.any(Number),
          toolCalls: expect.any(Number),
          requestBytes: expect.any(Number),
          costUsd: expect.any(Number),
        },
      });
      expect(report).toMatchObject({
        toolCalls: (run.stdout.match(/^(?:✓|✗|✔|✖|●|·|-)? ?(?:search|read|find|edit|write|shell)\b/gm) ?? []).length,
      });
      expect(run.stdout).toMatch(/^[+-][^+-]/m);
    },
    minute,
  );
}

test(
  'with the mending step taken out of the script, green is false and the exit says so',
  async () => {
    const run = await runDemo('--without-fix');
    expect({ code: run.code, report: lastLine(run) }).toMatchObject({
      code: 1,
      report: { green: false, testsEdited: false },
    });
  },
  minute,
);

test(
  'a second run right after the first takes the same steps',
  async () => {
    const reports = [lastLine(await runDemo('--no-daemon')), lastLine(await runDemo())];
    const steps = { green: true, requests: expect.any(Number), toolCalls: expect.any(Number) };
    expect(reports[0]).toMatchObject(steps);
    // Bytes may differ by a digit of a duration.
    expect(reports[1]).toMatchObject({ ...pick(reports[0], 'requests', 'toolCalls'), green: true });
  },
  2 * minute,
);

function pick(report: unknown, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(Object(report)).filter(([name]) => names.includes(name)));
}
