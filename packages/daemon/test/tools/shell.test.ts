import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import type { ToolResult } from '@zerd/daemon/base/ports';
import { admitResult } from '@zerd/daemon/runner/admit-result';
import { run } from '@zerd/daemon/tools/shell/run';
import { processesWith } from '../../../../test/support/left-alive.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { brief, makeToolRoom, type ToolRoom, textOf } from '../support/tool-room.ts';

let room: ToolRoom;
/** Names everything that a test starts, by the arguments of its `sleep`s. */
let tag: string;

beforeEach(async () => {
  room = await makeToolRoom();
  tag = `5${String(process.pid)}.${Math.floor(performance.now() * 1_000)}`;
});

afterEach(() => {
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGKILL');
  room.remove();
});

function shell(command: string, change = {}, timeoutMs?: number): Promise<ToolResult> {
  return run({ command, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, room.with(change));
}

async function check(command: string, expected: Record<string, unknown>) {
  expect(brief(await shell(command))).toEqual(expected);
}

/** What the only command of the room wrote so far. */
function jobOutput(): string {
  const jobs = join(dirname(room.root), 'jobs');
  const [folder = 'none'] = readdirSync(jobs);
  const file = join(jobs, folder, 'out');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const done = { outcome: 'ok', exitCode: 0 };

async function until(holds: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  return holds();
}

test('a command runs in the workspace, its two outputs in the order in which they were written', async () => {
  await check('echo one; echo two >&2; echo three; echo four > /dev/stderr; pwd', {
    ...done,
    text: `one\ntwo\nthree\nfour\n${room.root}\n`,
  });
  await check('true', { ...done, text: '' });
  await check('[[ abc =~ b ]] && echo "$(basename "$BASH")"', { ...done, text: 'bash\n' });
});

test('P080: a command that still runs after 15 s goes on as a job, and it is said that its end will be told', async () => {
  const clock = manualClock();
  const running = shell(`echo begun; sleep ${tag}`, { clock });
  await until(() => processesWith(tag).length > 0, 5_000);
  await until(() => jobOutput() === 'begun\n', 5_000);
  clock.advance(14_999);
  clock.advance(1);
  const result = await running;
  expect(brief(result)).toEqual({
    outcome: 'ok',
    text: 'begun\n',
    head: `still running after 15 s: it goes on as ${result.job?.jobId}, and you will be told when it ends`,
  });
  expect(processesWith(tag)).toHaveLength(1);
});

test('F-22: what a command writes is in its folder from the first byte, for nobody else to read', async () => {
  const running = shell(`echo one; sleep ${tag}`, {}, 20_000);
  expect(await until(() => jobOutput() === 'one\n', 5_000)).toBe(true);
  const jobs = join(dirname(room.root), 'jobs');
  const [folder = ''] = readdirSync(jobs);
  const modes = [jobs, join(jobs, folder), join(jobs, folder, 'out'), join(jobs, folder, 'job.json')].map((path) =>
    (statSync(path).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['700', '700', '600', '600']);
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGKILL');
  expect(textOf(await running)).toContain('one\n');
});

test('a status other than 0 is a failure that names it', async () => {
  await check('echo half; exit 3', { outcome: 'failed', text: 'half\n', head: 'exit 3', exitCode: 3 });
  await check('kill -9 $$', { outcome: 'failed', text: '', head: 'killed by SIGKILL' });
  await check('no-such-program-here', {
    outcome: 'failed',
    text: '/bin/bash: line 1: no-such-program-here: command not found\n',
    head: 'exit 127',
    exitCode: 127,
  });
});

test('F-19: what waits for input, a terminal, a pager or an editor gets none and ends', async () => {
  await check('cat', { ...done, text: '' });
  await check('read -r x', { outcome: 'failed', text: '', head: 'exit 1', exitCode: 1 });
  await check('tty', { outcome: 'failed', text: 'not a tty\n', head: 'exit 1', exitCode: 1 });
  await check('(exec 3</dev/tty) 2>/dev/null || echo no terminal', { ...done, text: 'no terminal\n' });
  await check('cat & wait; echo "$PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $TERM"', { ...done, text: 'cat cat 0 dumb\n' });
  const commit = await shell('git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty');
  expect([commit.outcome, textOf(commit)]).toEqual(['failed', 'Aborting commit due to empty commit message.\n']);
  const editor = await shell('"$EDITOR" file');
  expect(editor.outcome).toBe('failed');
});

test('F-19: sudo and ssh that would ask fail instead', async () => {
  for (const command of ['sudo -k true </dev/null', 'ssh -o ConnectTimeout=1 -o BatchMode=no -p 1 nobody@127.0.0.1']) {
    const result = await shell(
      `command -v ${command.split(' ')[0]} >/dev/null || exit 9; [ "$(id -u)" = 0 ] && [ ${command.startsWith('sudo') ? 1 : 0} = 1 ] && exit 8; ${command}`,
    );
    expect(result.outcome).toBe('failed');
  }
});

test('F-18, P076, P078: a command answers on its exit, not when a background child lets go of the pipe', async () => {
  const result = brief(await shell(`sleep ${tag} & echo done`));
  expect(result).toEqual({
    ...done,
    text: 'done\n',
    head: expect.stringMatching(
      /^exit 0; 1 process that it started is alive and goes on as job_\w+; you will be told when it ends$/,
    ),
  });
  // The child lives, and holds the pipe.
  expect(processesWith(tag)).toHaveLength(1);
});

test.each([
  ['a job that the shell disowned', (nap: string) => `${nap} & disown; echo done`],
  ['a process substitution', (nap: string) => `echo done | tee >(cat >/dev/null; ${nap})`],
  ['a session of its own', (nap: string) => `setsid ${nap} & echo done`],
])('F-18: %s holds no answer up, and goes on as a job', async (_, command) => {
  expect(brief(await shell(command(`sleep ${tag}`)))).toMatchObject({
    ...done,
    text: 'done\n',
    head: expect.stringContaining(' goes on as job_'),
  });
  expect(processesWith(tag).length).toBeGreaterThan(0);
});

test('F-18: what is left behind may go on writing without dying of it', async () => {
  await shell(`(for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done; echo alive > ${room.root}/after) & echo done`);
  expect(
    await until(() => existsSync(join(room.root, 'after')) && statSync(join(room.root, 'after')).size > 0, 10_000),
  ).toBe(true);
});

test('F-20: gigabytes leave the memory of the daemon flat, and the archive keeps both ends', async () => {
  const before = process.memoryUsage();
  const result = await shell(
    `echo first; yes | head -c 300000000; printf 'x%.0s' {1..10}; head -c 200000000 /dev/zero | tr '\\0' z; echo; echo last`,
    {},
    // As long as it takes: it is not to go on as a job.
    600_000,
  );
  const whole = result.body.kind === 'spool' ? statSync(result.body.file).size : 0;
  const left = result.body.kind === 'spool' ? readdirSync(dirname(result.body.file)) : [];
  const { shown } = await admitResult({ tool: 'shell', result, archive: room.context.archive, caps: defaultCaps });
  const grown = process.memoryUsage().rss - before.rss;
  if (result.body.kind !== 'spool') throw new Error('a spool was expected');
  expect(shown.startsWith('first\ny\n[the same line ')).toBe(true);
  expect([result.body.totalBytes, result.body.totalLines]).toEqual([500_000_022, 150_000_003]);
  expect(result.body.headText.startsWith('first\ny\ny\n')).toBe(true);
  expect(result.body.tailText.endsWith('last\n')).toBe(true);
  expect(result.body.headText.length + result.body.tailText.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(whole).toBeLessThanOrEqual(64 * 1024 * 1024 + 100);
  expect(left).toHaveLength(1);
  expect(grown).toBeLessThan(100 * 1024 * 1024);
}, 600_000);

test('F-20: yes for half a second is cut off at its time', async () => {
  const result = await shell('yes', {}, 500);
  expect([result.outcome, result.head]).toEqual(['failed', 'timed out after 500 ms, killed']);
  expect(textOf(result).startsWith('y\ny\n')).toBe(true);
});

test('F-20: bytes that are no UTF-8 are kept raw and shown replaced', async () => {
  const result = await shell("printf 'caf\\351 \\377\\n'");
  if (result.body.kind !== 'spool') throw new Error('a spool was expected');
  expect(result.body).toMatchObject({ headText: 'caf\ufffd \ufffd\n', tailText: '', totalBytes: 7, totalLines: 1 });
  expect([...readFileSync(result.body.file)]).toEqual([99, 97, 102, 233, 32, 255, 10]);
});

test('R-13, F-21: an interrupt answers within a second, and a tree of 200 that ignores it and hides is gone within 5 s', async () => {
  // The seconds are those by which it waits: how fast the machine is does not matter.
  const clock = manualClock();
  room.remove();
  room = await makeToolRoom(clock);
  const controller = new AbortController();
  const tree = `trap '' TERM; echo started
    for i in $(seq 70); do sleep ${tag} & setsid sleep ${tag} & (setsid bash -c "trap '' TERM; sleep ${tag}" &) ; done
    env -i setsid sleep ${tag} & touch ready; wait`;
  let answered = false;
  const running = shell(tree, { signal: controller.signal }).finally(() => {
    answered = true;
  });
  const ready = () => existsSync(join(room.root, 'ready')) && processesWith(tag).length >= 200;
  expect(await until(ready, 60_000)).toBe(true);
  const pass = async (untilMs: number, over: () => boolean) => {
    for (; clock.now() < untilMs && !over(); clock.advance(50)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  controller.abort();
  await pass(1_000, () => answered);
  expect(brief(await running)).toEqual({
    outcome: 'interrupted',
    text: 'started\n',
    head: 'interrupted by the user, killed',
  });
  await pass(5_000, () => processesWith(tag).length === 0);
  expect(await until(() => processesWith(tag).length === 0, 60_000)).toBe(true);
}, 180_000);

test('F-21: a tree that goes on growing while it is ended is gone all the same', async () => {
  const controller = new AbortController();
  const running = shell(`trap '' TERM; for i in $(seq 400); do setsid sleep ${tag} & done; wait`, {
    signal: controller.signal,
  });
  expect(await until(() => processesWith(tag).length >= 20, 60_000)).toBe(true);
  controller.abort();
  expect(brief(await running).outcome).toBe('interrupted');
  expect(await until(() => processesWith(tag).length === 0, 60_000)).toBe(true);
}, 180_000);

test('a time limit ends the whole tree', async () => {
  const result = brief(await shell(`setsid sleep ${tag} & sleep ${tag}`, {}, 300));
  expect(result).toEqual({ outcome: 'failed', text: '', head: 'timed out after 300 ms, killed' });
  expect(await until(() => processesWith(tag).length === 0, 5_000)).toBe(true);
});

test('an interrupt before the start runs nothing', async () => {
  const result = brief(await shell('touch ran', { signal: AbortSignal.abort() }));
  expect([result.outcome, existsSync(join(room.root, 'ran'))]).toEqual(['interrupted', false]);
});

test('F-25: a workspace that is gone is named, and a command too long is told as such', async () => {
  const long = await shell(`: ${'x'.repeat(200_000)}`);
  expect(brief(long)).toEqual({
    outcome: 'failed',
    text: 'Not run: the command is too long (200002 characters). Write it to a file and run that.',
  });
  rmSync(room.root, { recursive: true });
  await check('true', {
    outcome: 'failed',
    text: `Not run: the workspace folder ${room.root} is gone. Restore it, or start in another folder.`,
  });
});

test('S-65: a command sees nothing of zerd and no provider key, and its mark does not speak of zerd', async () => {
  const secret = {
    ...room.context.env,
    ZERD_TOKEN: 'canary',
    ZERD_CONTROL: 'canary',
    ANTHROPIC_API_KEY: 'canary',
    OPENAI_API_KEY: 'canary',
    MINE: 'kept',
    FORCE_COLOR: '1',
  };
  const names = textOf(await shell('env; cat /proc/$$/environ | tr "\\0" "\\n"; ls -l /proc/$$/fd', { env: secret }));
  expect(names).toContain('MINE=kept');
  expect(names).not.toMatch(/canary|zerd|FORCE_COLOR|NODE_OPTIONS/i);
  expect(names).toMatch(/^SHELL_MARK=[0-9a-f]{32}$/m);
});

test('a command with a NUL byte in it is named as such and not run', async () => {
  const result = await shell('echo a\0b');
  expect([result.outcome, textOf(result)]).toEqual([
    'failed',
    'Not run: the command holds a NUL byte, which no shell takes.',
  ]);
});
