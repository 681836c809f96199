/**
 * Kills the daemon of one repository again and again, at named points and at random, and counts what that cost: events
 * that were acknowledged and are gone, effects that happened twice, processes that nobody owns.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { startGateway } from '../../gateway/start.ts';
import { connectionOf } from '../bench-connection.ts';
import { runZerd } from '../daemon-program.ts';
import { type BenchFolder, makeBenchFolder } from '../private-folder.ts';
import { playRound } from './play-round.ts';
import { killPlayer, type RoundKind, roundKinds } from './story.ts';

export interface KillFigures {
  readonly bench: 'kill';
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicatedEffects: number;
  readonly orphans: number;
  readonly resumeP95Ms: number;
}

export interface KillWish {
  readonly rounds: number;
  readonly random: () => number;
  readonly round: (line: string) => void;
}

type Point = SessionEvent['kind'] | 'random';

const points: Readonly<Record<RoundKind, readonly Point[]>> = {
  turn: ['turn.started', 'request.started', 'assistant.finished', 'toolCall.started', 'toolCall.finished', 'random'],
  job: ['toolCall.started', 'job.started', 'toolCall.finished', 'job.finished', 'random'],
  compaction: ['turn.started', 'request.started', 'assistant.finished', 'context.compacted', 'random'],
  approval: ['approval.requested', 'assistant.finished', 'random'],
};

/** The longest that a random kill waits. */
const randomMs = 900;

export async function measureKill({ rounds, random, round: tell }: KillWish): Promise<KillFigures> {
  const folder = makeBenchFolder('kill', new Map([['README.md', 'A repository.\n']]));
  const gateway = await startGateway({ player: killPlayer, lenient: true });
  configure(folder, gateway.origin);
  const connect = () => connectOrSpawn(connectionOf(folder));
  const sum = { acknowledged: 0, lost: 0 };
  const resumes: number[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      const kind = roundKinds[round % roundKinds.length] ?? 'turn';
      const point = points[kind][Math.floor(round / roundKinds.length) % points[kind].length] ?? 'random';
      const killAt = point === 'random' ? Math.floor(random() * randomMs) : point;
      const end = await playRound({ round, kind, killAt, connect });
      sum.acknowledged += end.acknowledged;
      sum.lost += end.lost;
      resumes.push(end.resumeMs);
      tell(
        `${round} ${kind} at ${killAt}: ${end.acknowledged} events, ${end.lost} lost, ${Math.round(end.resumeMs)} ms`,
      );
    }
    await untilJobsEnded(connect);
  } finally {
    await runZerd(folder, 'zerdd', ['stop']).catch(() => '');
    await gateway.close();
  }
  const figures: KillFigures = {
    bench: 'kill',
    rounds,
    ...sum,
    duplicatedEffects: duplicates(join(folder.repository, 'effects')),
    orphans: await orphans(folder.repository),
    resumeP95Ms: Math.round(percentile(resumes, 0.95)),
  };
  folder.remove();
  return figures;
}

function configure(folder: BenchFolder, baseUrl: string): void {
  const models = [{ id: 'sim', contextWindow: 200_000, maxOutput: 8_000 }];
  const providers = { sim: { wire: 'anthropic', baseUrl, apiKey: 'bench', models } };
  const config = { providers, model: 'sim/sim', jobs: { afterMs: 250 } };
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

async function untilJobsEnded(connect: () => ReturnType<typeof connectOrSpawn>): Promise<void> {
  const client = await connect();
  for (let left = 100; left > 0; left--) {
    const { jobs } = await client.request('job/list', {});
    if (jobs.every(({ outcome }) => outcome !== undefined)) break;
    await pause(100);
  }
  client.close();
}

function duplicates(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.length - new Set(lines).size;
}

/** Processes that belong to the bench and are not gone some seconds after its daemon was stopped. Linux. */
async function orphans(text: string): Promise<number> {
  for (let left = 50; left > 0 && countWith(text) > 0; left--) await pause(100);
  return countWith(text);
}

function countWith(text: string): number {
  const top = dirname(text);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => ['environ', 'cmdline'].some((name) => readProc(pid, name).includes(top))).length;
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
