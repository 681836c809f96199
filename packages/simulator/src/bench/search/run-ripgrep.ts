/** Ripgrep as somebody would run it who wants all matching lines: spawned, and its output read to the end. */
import { spawn } from 'node:child_process';
import type { Query } from './built.ts';

export interface RipgrepRun {
  readonly ms: number;
  readonly output: Buffer;
}

export function runRipgrep(program: string, tree: string, query: Query): Promise<RipgrepRun> {
  const flags = ['--no-config', '-n', '-H', '-0', '--no-heading', '--color=never', ...flagsOf(query)];
  const begin = performance.now();
  const child = spawn(program, [...flags, '-e', query.pattern, './'], {
    cwd: tree,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ ms: performance.now() - begin, output: Buffer.concat(chunks) }));
  });
}

function flagsOf({ literal, ignoreCase, wholeWord }: Query): string[] {
  return [
    ...(literal === true ? ['-F'] : []),
    ...(ignoreCase === true ? ['-i'] : []),
    ...(wholeWord === true ? ['-w'] : []),
  ];
}

export interface FoundLines {
  /** Matching lines by file. */
  readonly counts: ReadonlyMap<string, number>;
  /** `path:line` of each. */
  readonly places: readonly string[];
}

/** Lines without a NUL are ripgrep's warnings about binary files. */
export function readOutput(output: Buffer): FoundLines {
  const counts = new Map<string, number>();
  const places: string[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at);
    const line = output.subarray(at, end < 0 ? output.length : end);
    const nul = line.indexOf(0);
    const path = line.toString('utf8', 0, Math.max(0, nul)).replace(/^\.\//, '');
    if (nul >= 0) {
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (places.length < 500_000) places.push(`${path}:${line.toString('latin1', nul + 1).split(':', 1)[0]}`);
    }
    at = end < 0 ? output.length : end + 1;
  }
  return { counts, places };
}
