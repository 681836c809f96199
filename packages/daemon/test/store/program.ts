/** A program of a test as one CommonJS file, which finds better-sqlite3 through NODE_PATH: no build needed. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

export function bundleProgram(name: string, folder: string): string {
  const program = join(folder, `${name}.cjs`);
  const source = join(import.meta.dirname, `${name}.ts`);
  const esbuild = join(modulesFolder(), '.bin', 'esbuild');
  const options = ['--bundle', '--platform=node', '--format=cjs', '--conditions=zerd-source', '--log-level=error'];
  execFileSync(esbuild, [source, ...options, '--external:better-sqlite3', '--external:pino', `--outfile=${program}`]);
  return program;
}

export function modulesFolder(): string {
  return resolve(dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json')), '..');
}
