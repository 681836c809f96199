/** The sizes by which the index works, each settled by measurement, and where its worker's program lies. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Blocks of 16 KiB: a third of the bytes to read per query that whole files need, for 1.4 times the index. */
export const blockBytes = 16_384;

/** 32 MB of keys and as much again while they are sorted, for each worker. */
export const spillPairs = 8_000_000;

/** Ripgrep reads so small a tree in the time that a question takes anyway. */
export const smallFiles = 1_000;
export const smallBytes = 8 * 1_048_576;

/** So much is read before ripgrep has listed a tree. */
export const largeBytes = 24 * 1_048_576;

/** Contents of files that were looked into lately: all of a tree of middle size. */
export const keptBytes = 32 * 1_048_576;

/** After so long without a query, threads and tables are given back. */
export const idleMs = 60_000;

/** More threads wait for the disk and for each other. */
export function workerCount(): number {
  return Math.max(1, Math.min(4, availableParallelism()));
}

/** Beside the bundle that the daemon runs from, or beside the compiled file. */
export function workerFile(): string | undefined {
  const names = ['./search-worker.js', './worker.js'];
  return names.map((name) => fileURLToPath(new URL(name, import.meta.url))).find((file) => existsSync(file));
}
