/** zerdd as a file that node can run, made from the sources as they are now: no build is needed to test the process. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';

const repository = join(import.meta.dirname, '../../../..');

/** Made before the tests of a file and removed behind them; the path is there once they begin. */
export function useBundledZerdd(): { readonly path: string } {
  const zerdd = { path: '', remove() {} };
  beforeAll(() => {
    Object.assign(zerdd, bundleZerdd());
  });
  afterAll(() => zerdd.remove());
  return zerdd;
}

/** The bundle, inside the repository so that it finds its packages, and what removes it. */
function bundleZerdd(): { readonly path: string; remove(): void } {
  const cache = join(repository, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'zerdd-'));
  const external = ['protocol', 'packages/providers', 'packages/daemon'].flatMap(packagesOf);
  const options = [
    join(repository, 'packages/daemon/src/main.ts'),
    `--outfile=${join(folder, 'zerdd.mjs')}`,
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--target=node20',
    '--conditions=zerd-source',
    '--log-level=error',
    ...external.flatMap((name) => [`--external:${name}`, `--external:${name}/*`]),
  ];
  execFileSync(join(repository, 'node_modules/.bin/esbuild'), options, { stdio: ['ignore', 'inherit', 'inherit'] });
  return { path: join(folder, 'zerdd.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What a workspace installs: it stays outside of the bundle. */
function packagesOf(workspace: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(repository, workspace, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => !name.startsWith('@zerd/'));
}
