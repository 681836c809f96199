/** F-22: what an earlier daemon left is ended by its mark, tried until it is gone, and named meanwhile. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { McpRow } from '../../src/base/mcp-ports.ts';
import { checkMcp } from '../../src/mcp/check-mcp.ts';
import { createChildren } from '../../src/mcp/children.ts';
import { bootId } from '../../src/processes/list-processes.ts';
import { ticking, until } from './mcp-scene.ts';

let folder: string;
let clock: ManualClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-mcp-left-'));
  clock = manualClock();
});
afterEach(() => rmSync(folder, { recursive: true }));

const running = () => join(folder, 'mcp-running.json');
/** Settles when no record is left. */
const forgotten = () => until(() => !existsSync(running()));
const children = () => createChildren({ stateFolder: folder, clock, idleClock: clock, log: silentLog });

/** A process as a server carries it, in a group of its own. */
function marked(mark: string) {
  const child = spawn('sleep', ['1000'], {
    env: { PATH: process.env.PATH, SHELL_MARK: mark },
    detached: true,
    stdio: 'ignore',
  });
  const exited = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  return { child, exited };
}

test('a record of this boot ends what carries its mark and nothing else, though its id was never written down', async () => {
  const [ours, theirs] = [marked('ours'), marked('theirs')];
  try {
    writeFileSync(running(), JSON.stringify([{ name: 'test', mark: 'ours', bootId: bootId() }]));
    const room = children();
    room.adopt();
    expect(await ours.exited).toBe('SIGTERM');
    await ticking(clock, forgotten());
    expect(room.left()).toEqual([]);
    expect(theirs.child.exitCode ?? theirs.child.signalCode).toBeNull();
  } finally {
    theirs.child.kill('SIGKILL');
    await theirs.exited;
  }
});

test('a record of another boot, or one that was cut short, ends nothing', async () => {
  const { child, exited } = marked('ours');
  try {
    for (const text of [JSON.stringify([{ name: 'test', mark: 'ours', bootId: 'earlier' }]), '[{"name": "te']) {
      writeFileSync(running(), text);
      const room = children();
      room.adopt();
      expect(room.left()).toEqual([]);
    }
    expect(child.exitCode ?? child.signalCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});

test('what is to be ended is written down before it begins, without a word of what it is, and forgotten at its end', async () => {
  const room = children();
  const wish = {
    name: 'test',
    program: '/bin/cat',
    command: 'cat',
    args: ['-u'],
    env: { TOKEN: 'secret' },
    cwd: folder,
  };
  const started = await room.start(wish);
  expect(JSON.parse(readFileSync(running(), 'utf8'))).toEqual([
    {
      name: 'test',
      mark: expect.stringMatching(/^[0-9a-f]{32}$/),
      pid: started.process.pid,
      startedAt: expect.any(Number),
      bootId: bootId(),
    },
  ]);
  const exited = new Promise((resolve) => started.process.once('exit', resolve));
  const ended = started.end();
  await exited;
  await ticking(clock, ended);
  expect(existsSync(running())).toBe(false);
  await expect(room.start({ ...wish, program: join(folder, 'none') })).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(running())).toBe(false);
});

test('the doctor names what fails, what waits and what is left', () => {
  const row = (name: string, state: McpRow['state'], more: Partial<McpRow> = {}): McpRow => ({
    ...{ name, state, source: 'user', text: 'x', digest: 'd', files: [], connected: false, leftOut: [] },
    ...more,
  });
  const ready = row('a', { kind: 'ready', tools: [], instructions: '' }, { connected: true });
  const check = (
    servers: readonly McpRow[],
    expected: object,
    left: readonly { name: string; pids: number[] }[] = [],
  ) => expect(checkMcp({ list: () => ({ servers, warnings: [] }), left: () => left })).toEqual(expected);
  const mend = 'Mend the entries, then `zerd mcp restart NAME`; `zerd mcp` shows them.';
  check([], { ok: true, says: 'No MCP servers.' });
  check([ready, row('b', { kind: 'unknown' })], {
    ok: true,
    says: '2 MCP servers: a with 0 tools, connected, b not connected yet.',
  });
  check([row('c', { kind: 'unapproved' })], {
    ok: true,
    says: '1 MCP servers: c not approved.',
    todo: 'Look at what they are with `zerd mcp`, and say yes with `zerd mcp approve NAME`.',
  });
  check([row('d', { kind: 'failed', why: 'it ended' })], {
    ok: false,
    says: '1 MCP servers: d failed. d: it ended.',
    todo: mend,
  });
  check([{ ...ready, lastFailure: 'it broke' }], {
    ok: false,
    says: '1 MCP servers: a with 0 tools, connected. a: it broke.',
    todo: mend,
  });
  check(
    [],
    { ok: false, says: 'No MCP servers. Of e, processes 7 are still there; zerd goes on ending them.', todo: mend },
    [{ name: 'e', pids: [7] }],
  );
});
