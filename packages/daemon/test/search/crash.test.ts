import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openIndex } from '@zerd/daemon/search/index/open-index';
import { type Indexed, indexed } from './indexed.ts';

const modules = join(import.meta.dirname, '../../../../node_modules');
const needle = { pattern: 'needle' };

function plant(place: Indexed): void {
  for (let i = 0; i < 60; i += 1) place.put(`src/d${i % 5}/f${i}.ts`, `file ${i}\nneedle ${i}\n`.repeat(20));
}

test('an index whose builder was killed at any moment gives right answers, and leaves nothing of the crash behind', async () => {
  await using place = indexed();
  plant(place);
  const program = bundle(place.top);
  const folder = join(place.stateFolder, 'index');
  mkdirSync(folder, { recursive: true });
  for (const lines of [1, 2, 3, 4, 5, 7, 9]) {
    await killAfter(program, [folder, place.root], lines);
    const next = place.again();
    try {
      await next.right(needle);
      await next.warm();
      await next.right(needle);
      await next.right({ pattern: 'needle (new|appended)' });
      expect(readdirSync(folder).filter((name) => /tmp|spill/.test(name))).toEqual([]);
    } finally {
      await next.stop();
    }
  }
}, 40_000);

type Version = 'old' | 'new';
interface Crash {
  readonly what: string;
  readonly manifest: Version | 'torn' | 'none';
  readonly segments: readonly Version[];
  readonly extra?: string;
}

test.each<Crash>([
  { what: 'before the new segment was whole', manifest: 'old', segments: ['old'], extra: 'seg-9.zsi.tmp' },
  {
    what: 'between the temporary manifest and its rename',
    manifest: 'old',
    segments: ['old', 'new'],
    extra: 'MANIFEST.tmp',
  },
  { what: 'before the old segment was removed', manifest: 'new', segments: ['old', 'new'] },
  { what: 'and the disk lost the new segment', manifest: 'new', segments: ['old'] },
  { what: 'and the disk tore the manifest', manifest: 'torn', segments: ['old', 'new'] },
  { what: 'before there was a manifest', manifest: 'none', segments: ['old'] },
])('killed $what, the old or the new index is loaded, never a mixture, and answers are right', async (crash) => {
  await using place = indexed();
  plant(place);
  const folder = join(place.stateFolder, 'index');
  const kept = await twoVersions(place, folder);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const version of crash.segments) copySegments(kept[version], folder);
  const manifest = crash.manifest === 'new' ? kept.new : kept.old;
  if (crash.manifest !== 'none') copyFileSync(join(manifest, 'MANIFEST'), join(folder, 'MANIFEST'));
  if (crash.manifest === 'torn') tear(join(folder, 'MANIFEST'));
  if (crash.extra !== undefined) writeFileSync(join(folder, crash.extra), 'half of somethi');
  await place.right(needle);
  await place.warm();
  await place.right(needle);
  await place.right({ pattern: 'only in the (old|new)' });
});

/** Two states of the index on disk with other segments, over a tree that is that of neither. */
async function twoVersions(place: Indexed, folder: string): Promise<Readonly<Record<Version, string>>> {
  const index = await openIndex({ folder, root: place.root, smallFiles: 0, threads: false });
  const kept = { old: join(place.top, 'old'), new: join(place.top, 'new') };
  for (const version of ['old', 'new'] as const) {
    place.put('src/d0/f0.ts', `needle only in the ${version}\n`);
    place.put(`src/${version}.ts`, `needle ${version}\n`);
    await index.rebuild('a test');
    cpSync(folder, kept[version], { recursive: true });
  }
  await index.close();
  place.put('src/d0/f0.ts', 'needle of now\n');
  rmSync(join(place.root, 'src/old.ts'));
  return kept;
}

function copySegments(from: string, to: string): void {
  for (const name of readdirSync(from)) if (name.startsWith('seg-')) copyFileSync(join(from, name), join(to, name));
}

function tear(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(bytes.length / 2)]));
}

/** Kills the program when it has said so many lines: within what the last of them begins. */
async function killAfter(program: string, args: readonly string[], lines: number): Promise<void> {
  const env = { NODE_PATH: modules };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.split('\n').length > lines) child.kill('SIGKILL');
  }
  expect((await exit)[1]).toBe('SIGKILL');
}

function bundle(folder: string): string {
  const path = join(folder, 'build-forever.cjs');
  const options = [
    '--bundle',
    '--platform=node',
    '--format=cjs',
    '--target=node20',
    '--conditions=zerd-source',
    '--log-level=error',
  ];
  const input = join(import.meta.dirname, 'build-forever.ts');
  const packages = ['--external:@vscode/ripgrep', '--define:import.meta.url="file:///nowhere.js"'];
  execFileSync(join(modules, '.bin/esbuild'), [input, `--outfile=${path}`, ...options, ...packages]);
  return path;
}
