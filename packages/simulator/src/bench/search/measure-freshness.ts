/** Measures how soon a change can be found, and how long it takes to catch up with a tree after a start. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openService, type Service } from './built.ts';

export interface Freshness {
  readonly eventP95Ms: number;
  readonly catchUpMs: number;
}

const never = new AbortController().signal;
const events = 40;

/** `folder` holds an index of the tree. A file is written into the tree and removed again. */
export async function measureFreshness(folder: string, tree: string): Promise<Freshness> {
  const service = await openService(folder, tree);
  const file = join(tree, `zerd-bench-${process.pid}.txt`);
  try {
    const catchUpMs = await catchUp(service);
    const times: number[] = [];
    for (let n = 0; n < events; n += 1) times.push(await timeToFind(service, file, `zqx${process.pid}y${n}wv`));
    times.sort((a, b) => a - b);
    return { eventP95Ms: Math.round(times[Math.floor(events * 0.95)] ?? 0), catchUpMs };
  } finally {
    rmSync(file, { force: true });
    await service.close();
  }
}

async function catchUp(service: Service): Promise<number> {
  const begin = performance.now();
  while (performance.now() - begin < 120_000) {
    await service.search({ pattern: 'zzqqxxyynomatch', literal: true }, never);
    const { watch } = await service.indexStatus();
    if (watch.catchUpMs !== undefined) return Math.round(watch.catchUpMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the index never caught up with the tree');
}

/** From before the write to the answer that holds it. */
async function timeToFind(service: Service, file: string, token: string): Promise<number> {
  const begin = performance.now();
  writeFileSync(file, `${token}\n`);
  while (performance.now() - begin < 10_000) {
    const { totalMatches } = await service.search({ pattern: token, literal: true }, never);
    if (totalMatches > 0) return performance.now() - begin;
  }
  throw new Error('a written file was never found');
}
