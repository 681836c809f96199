/**
 * Keeps one daemon at work for a while, as people do who leave it running: sessions, commands, clients that come and go.
 * Then it is left alone, and what it holds is compared with what it held before. Invariant: every figure is of the real
 * built daemon, told by the system.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { startGateway } from '../../gateway/start.ts';
import type { Player } from '../../players/player.ts';
import { connectionOf } from '../bench-connection.ts';
import { runZerd } from '../daemon-program.ts';
import { configure } from '../drive-zerd.ts';
import { type BenchFolder, makeBenchFolder } from '../private-folder.ts';
import { figuresOf, slopeMbPerH, walMb } from './process-figures.ts';

/**
 * The last line of the bench. `idleRssMb`: before its first turn, as bench:start has it; the processor's share and
 * wake-ups: the most of three idle spells; files, children and timers: how many more than behind a first turn were left.
 */
export interface SoakFigures {
  readonly bench: 'soak';
  /** Over the later half of the work. */
  readonly rssSlopeMbPerH: number;
  readonly fds: number;
  readonly children: number;
  readonly timers: number;
  readonly walMb: number;
  readonly idleRssMb: number;
  readonly idleCpuPercent: number;
  /** Of all its threads. */
  readonly idleWakesPerS: number;
  /** Behind the work, left alone. */
  readonly restRssMb: number;
  readonly turns: number;
}

export interface SoakWish {
  readonly minutes: number;
  readonly tell: (line: string) => void;
}

const sessions = 4;
const idleMs = 20_000;
/** How long it is left alone before it counts as idle: behind a start and behind work it clears away. */
const restMs = 45_000;

export async function measureSoak({ minutes, tell }: SoakWish): Promise<SoakFigures> {
  const folder = makeBenchFolder('soak', new Map([['a.txt', 'One line.\n'.repeat(200)]]));
  const gateway = await startGateway({ player: soakPlayer, lenient: true });
  configure(folder, { wire: 'anthropic', baseUrl: gateway.origin });
  const connect = () => connectOrSpawn(connectionOf(folder));
  try {
    const first = await connect();
    const { pid } = first.hello.daemon;
    await pause(restMs);
    const fresh = await idle(first, pid);
    tell(`idle    ${fresh.words}`);
    // What every daemon holds that has worked once: the host of commands, a kept connection for each that works at a time.
    await Promise.all(Array.from({ length: sessions }, async () => oneTurn(first, await newSession(first))));
    await pause(restMs);
    const before = await idle(first, pid);
    tell(`worked  ${before.words}`);
    const worked = await work({ connect, folder, pid, minutes, tell });
    await pause(restMs);
    const after = await idle(first, pid);
    tell(`rested  ${after.words}`);
    first.close();
    const spells = [fresh, before, after];
    return {
      bench: 'soak',
      rssSlopeMbPerH: rounded(worked.slope),
      fds: after.fds - before.fds,
      children: after.children - before.children,
      timers: after.timers - before.timers,
      walMb: rounded(worked.walMb),
      idleRssMb: rounded(fresh.rssMb),
      idleCpuPercent: rounded(Math.max(...spells.map((spell) => spell.cpuPercent))),
      idleWakesPerS: rounded(Math.max(...spells.map((spell) => spell.wakesPerS))),
      restRssMb: rounded(after.rssMb),
      turns: worked.turns,
    };
  } finally {
    await runZerd(folder, 'zerdd', ['stop', '--force']);
    await gateway.close();
    folder.remove();
  }
}

/** Reads, runs a command, and answers, again and again: the log grows as it does at work. */
const soakPlayer: Player = ({ messages }) => {
  const turns = messages.length;
  if (turns % 8 === 7) return { text: 'Done with this part.' };
  return turns % 4 === 1
    ? { calls: [{ name: 'shell', input: { command: `seq 1 ${200 + turns}` } }] }
    : { calls: [{ name: 'read', input: { path: 'a.txt', offset: 1 + (turns % 100) } }] };
};

async function newSession(client: ZerdClient): Promise<SessionId> {
  return (await client.request('session/create', { mode: 'full', trust: true })).sessionId;
}

async function oneTurn(client: ZerdClient, sessionId: SessionId): Promise<void> {
  await client.request('turn/start', { sessionId, text: 'Go on.', trust: true, maxRequests: 8 });
  for (;;) {
    const { session } = await client.request('session/read', { sessionId, limit: 1 });
    if (session.state === 'idle') return;
    await pause(25);
  }
}

interface Work {
  readonly connect: () => Promise<ZerdClient>;
  readonly folder: BenchFolder;
  readonly pid: number;
  readonly minutes: number;
  readonly tell: (line: string) => void;
}

async function work({ connect, folder, pid, minutes, tell }: Work) {
  const begun = performance.now();
  const until = begun + minutes * 60_000;
  const samples: { atMs: number; rssMb: number }[] = [];
  let turns = 0;
  let wal = 0;
  const sampling = setInterval(() => {
    const { rssMb, fds } = figuresOf(pid);
    samples.push({ atMs: performance.now() - begun, rssMb });
    wal = Math.max(wal, walMb(folder.state));
    if (samples.length % 10 === 0) tell(`working ${rssMb.toFixed(0)} MB, ${fds} files, ${turns} turns`);
  }, 1_000);
  async function person(): Promise<void> {
    while (performance.now() < until) {
      const client = await connect();
      const sessionId = await newSession(client);
      await client.request('session/subscribe', { sessionId, deltas: true });
      for (let n = 0; n < 5 && performance.now() < until; n++, turns++) await oneTurn(client, sessionId);
      client.close();
      await client.closed;
    }
  }
  await Promise.all(Array.from({ length: sessions }, person)).finally(() => clearInterval(sampling));
  return { slope: slopeMbPerH(samples.slice(samples.length / 2)), walMb: wal, turns };
}

async function idle(client: ZerdClient, pid: number) {
  const from = figuresOf(pid);
  await pause(idleMs);
  const to = figuresOf(pid);
  const { timers = 0 } = await client.request('daemon/status', {});
  const cpuPercent = ((to.cpuMs - from.cpuMs) / idleMs) * 100;
  const wakesPerS = ((to.wakes - from.wakes) / idleMs) * 1_000;
  const words = `${to.rssMb.toFixed(0)} MB, ${cpuPercent.toFixed(2)} % CPU, ${wakesPerS.toFixed(1)} wake-ups/s, ${to.fds} files`;
  return { ...to, timers, cpuPercent, wakesPerS, words };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
