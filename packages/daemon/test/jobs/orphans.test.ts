/** Sessions end in every way at once, a crash of the daemon among them. `ZERD_ENDS=1000` ends so many. */
import { spawn } from 'node:child_process';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Player } from '@zerd/simulator/players/player';
import { processesWith } from '../../../../test/support/left-alive.ts';
import { openScene, type Scene } from '../runner/harness.ts';

/** Names what a test starts; no name is the beginning of another. */
const tag = `8${process.pid}.`;
const nameOf = (n: number) => String(n).padStart(4, '0');
const ends = Number(process.env.ZERD_ENDS ?? 12);
const alive = (n: number) => processesWith(`${tag}${nameOf(n)}`).filter(({ command }) => command.startsWith('sleep'));

let scene: Scene;
afterEach(async () => {
  await scene.close();
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGKILL');
});

async function eventually(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A child in front, one in a session of its own, and one that ignores SIGTERM; the odd ones leave theirs behind. */
const player: Player = ({ messages }) => {
  const [, session = ''] = /session-(\d+)/.exec(JSON.stringify(messages[0])) ?? [];
  if (messages.some(({ role }) => role === 'assistant')) return { text: 'Done.' };
  const nap = `sleep ${tag}${session}`;
  const last = Number(session) % 2 === 0 ? nap : `${nap} &`;
  return { calls: [{ name: 'shell', input: { command: `setsid ${nap} & (trap '' TERM; ${nap}; :) & ${last}` } }] };
};

test(`R-14, P082: ${ends} sessions end in every way: each takes all that it started along, and nothing else`, async () => {
  scene = await openScene({ player });
  const stranger = spawn('sleep', [`${tag}9999`]);
  const begin = async (n: number) => {
    const { sessionId } = await scene.say(`session-${nameOf(n)}`);
    await eventually(() => alive(n).length === 3);
    return sessionId;
  };
  const sessions = await Promise.all(Array.from({ length: ends }, (_, n) => begin(n)));
  const every = (way: number) => sessions.filter((_, n) => Math.floor(n / 2) % 3 === way);
  await Promise.all(every(0).map(remove));
  for (const sessionId of every(1)) await scene.runner.interrupt(sessionId);
  await scene.restart();
  await Promise.all([...every(1), ...every(2)].map(remove));
  await eventually(() => sessions.every((_, n) => alive(n).length === 0));
  expect([scene.rows(), stranger.exitCode, stranger.signalCode]).toEqual([[], null, null]);
  stranger.kill();
}, 300_000);

/** As the user deletes it: a turn that runs is interrupted first. */
async function remove(sessionId: SessionId): Promise<void> {
  for (;;) {
    await scene.runner.interrupt(sessionId);
    const refusal = await scene.runner.removeSession(sessionId).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) return;
    expect(refusal).toMatchObject({ code: 'turn_running' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
