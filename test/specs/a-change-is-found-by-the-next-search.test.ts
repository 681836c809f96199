/**
 * The index of the daemon as users meet it: built by the first search, kept fresh by a thread of its own, and right after
 * a kill -9, in a worktree and in a folder without git.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ParamsOf } from '@zerd/protocol/common/methods';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Step } from '@zerd/simulator/players/player';
import { type House, inHouse } from '../support/house.ts';

/** Enough for an index to be worth while. */
const files = Object.fromEntries(
  Array.from({ length: 1_200 }, (_, i) => [`src/d${i % 40}/f${i}.ts`, `export const heron${i} = ${i};\n`]),
);

type Report = ParamsOf<'index/progress'>;

/** Once every client is told that the index is ready and the tree is watched. */
async function live(client: ZerdClient): Promise<Report> {
  const isLive = (report: Report) => report.state === 'ready' && report.watch.phase === 'live';
  const told = new Promise<Report>((resolve) => {
    client.onNotice('index/progress', (report) => {
      if (isLive(report)) resolve(report);
    });
  });
  await client.request('search/query', { pattern: 'heron7\\b' });
  const now = await client.request('index/status', {});
  return isLive(now) ? now : await told;
}

function put(house: House, path: string, text: string): void {
  mkdirSync(dirname(join(house.repository, path)), { recursive: true });
  writeFileSync(join(house.repository, path), text);
}

async function finds(house: House, pattern: string, ...lines: readonly string[]): Promise<void> {
  const { code, stdout } = await house.zerd(['search', pattern]);
  expect({ code, stdout }).toEqual({
    code: lines.length > 0 ? 0 : 1,
    stdout: lines.map((line) => `${line}\n`).join(''),
  });
}

test('what was written is found by the next search, also after the daemon was killed', async () => {
  await inHouse({ files }, async (house) => {
    const report = await live(await house.connect());
    expect(report).toMatchObject({ files: 1_200, why: 'there was none', watch: { overflows: 0 } });
    put(house, 'new/deep/nest.ts', 'the heron has landed\n');
    await finds(house, 'heron has landed', 'new/deep/nest.ts:1:the heron has landed');
    expect((await house.zerd(['find', 'newnest'])).stdout).toBe('new/deep/nest.ts\n');
    rmSync(join(house.repository, 'new'), { recursive: true });
    await finds(house, 'heron has landed');
    expect((await house.zerd(['index'])).stdout).toMatch(/^ready\nwhy +there was none\nfiles +1200,/);
    expect((await house.zerd(['doctor'])).stdout).toContain('ok     index: Ready: 1200 files');
    const { pid } = await (await house.connect()).request('daemon/status', {});
    process.kill(pid, 'SIGKILL');
    put(house, 'src/d1/f1.ts', 'the heron left while nobody watched\n');
    await finds(house, 'nobody watched', 'src/d1/f1.ts:1:the heron left while nobody watched');
    await live(await house.connect());
    await finds(house, 'nobody watched', 'src/d1/f1.ts:1:the heron left while nobody watched');
    await finds(house, 'heron1 = 1;');
    expect((await house.zerd(['search', 'heron('])).code).toBe(2);
  });
}, 60_000);

const steps: readonly Step[] = [
  { calls: [{ name: 'search', input: { pattern: 'heron7 =' } }] },
  { calls: [{ name: 'write', input: { path: 'note.md', content: 'a heron of the model\n' } }] },
  { calls: [{ name: 'search', input: { pattern: 'heron of the model' } }] },
  { text: 'Found.' },
];

test("the model's own write is found by its next search", async () => {
  await inHouse({ files, steps }, async (house) => {
    await live(await house.connect());
    const run = await house.zerd(['run', '--trust', '--mode', 'edit', 'look'], { deadlineMs: 60_000 });
    expect(run.code).toBe(0);
    const sent = JSON.stringify(house.gateway.requests.at(-1)?.body);
    expect(sent).toContain('src/d7/f7.ts');
    expect(sent).toMatch(/note\.md\\n1: a heron of the model/);
  });
}, 60_000);

test('a worktree and a folder without git are indexed and watched alike', async () => {
  await inHouse({ files }, async (house) => {
    const worktree = join(house.home, 'worktree');
    execFileSync('git', ['-C', house.repository, 'worktree', 'add', '-q', worktree]);
    const bare = join(house.home, 'bare');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(bare, path)), { recursive: true });
      writeFileSync(join(bare, path), text);
    }
    for (const cwd of [worktree, bare]) {
      expect((await house.zerd(['search', 'heron7 ='], { cwd })).stdout).toBe(
        'src/d7/f7.ts:1:export const heron7 = 7;\n',
      );
      const rebuilt = await house.zerd(['index', 'rebuild', '--json'], { cwd });
      expect(JSON.parse(rebuilt.stdout)).toMatchObject({ state: 'ready', files: 1_200 });
      writeFileSync(join(cwd, 'later.ts'), 'a later heron\n');
      expect((await house.zerd(['search', 'later heron'], { cwd })).stdout).toBe('later.ts:1:a later heron\n');
    }
  });
}, 60_000);
