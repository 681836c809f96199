/** Measures the index against ripgrep on one tree, in turns, so that both meet the same machine. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type Index, openIndex, type Query, ripgrepPath } from './built.ts';
import { type ClassName, chooseQueries, classNames, type Queries } from './choose-queries.ts';
import { measureFreshness } from './measure-freshness.ts';
import { readOutput, runRipgrep } from './run-ripgrep.ts';

export interface ClassFigures {
  readonly ratio: number;
  /** The ratio when the first 200 hits are enough. */
  readonly capped: number;
  /** The ratio of the very first answers of a process: all hits, before Node has compiled anything. */
  readonly first: number;
  readonly matches: number;
  readonly candidateBytes: number;
}

export interface SearchFigures {
  readonly bench: 'search';
  readonly files: number;
  readonly corpusBytes: number;
  readonly buildMs: number;
  readonly indexBytes: number;
  readonly loadMs: number;
  readonly rssMb: number;
  readonly eventP95Ms: number;
  readonly catchUpMs: number;
  readonly equal: boolean;
  readonly classes: Readonly<Record<ClassName, ClassFigures>>;
}

export interface Wish {
  readonly tree: string;
  readonly rounds: number;
  readonly tell: (line: string) => void;
}

const never = new AbortController().signal;
const small = { smallFiles: 0, smallBytes: 0, anyRoot: true };

export async function measureSearch({ tree: given, rounds, tell }: Wish): Promise<SearchFigures> {
  const tree = realpathSync(given);
  const folder = mkdtempSync(join(tmpdir(), 'zerd-bench-search-'));
  try {
    const built = await build(tree, join(folder, 'index'), tell);
    const rssMb = restingRss(tree, join(folder, 'index'));
    tell(`at rest ${rssMb.toFixed(0)} MB, loaded in ${built.loadMs.toFixed(0)} ms`);
    const measured = await measureClasses({ tree, rounds, tell }, join(folder, 'index'));
    const fresh = await measureFreshness(folder, tree);
    tell(`event to searchable, p95: ${fresh.eventP95Ms} ms; catching up: ${fresh.catchUpMs} ms`);
    return { bench: 'search', ...built, rssMb, ...fresh, ...measured };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function build(tree: string, folder: string, tell: (line: string) => void) {
  const index = await openIndex({ folder, root: tree, ...small });
  const begin = performance.now();
  await index.rebuild('a bench');
  const buildMs = Math.round(performance.now() - begin);
  index.release();
  await index.query({ pattern: 'zzqqxxyynomatch' }, never);
  const { files, corpusBytes, indexBytes, loadMs = 0 } = index.status();
  await index.close();
  tell(
    `${files} files, ${(corpusBytes / 1e6).toFixed(0)} MB: built in ${buildMs} ms, ${(indexBytes / 1e6).toFixed(1)} MB`,
  );
  return { files, corpusBytes, buildMs, indexBytes, loadMs: Math.round(loadMs) };
}

/** Of a process of its own that has loaded the index and answered, and whose threads were given back. */
function restingRss(tree: string, folder: string): number {
  const program = `import(${JSON.stringify(new URL('./built.js', import.meta.url).href)}).then(async ({ openIndex }) => {
    const index = await openIndex(${JSON.stringify({ folder, root: tree, ...small })});
    await index.query({ pattern: 'zzqqxxyynomatch' }, new AbortController().signal);
    process.stdout.write(String(process.memoryUsage.rss() / 1e6));
    await index.close();
  });`;
  const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  return Math.round(Number(stdout));
}

async function measureClasses({ tree, rounds, tell }: Wish, folder: string) {
  const program = await ripgrepPath();
  const index = await openIndex({ folder, root: tree, ...small });
  const exact = await openIndex({ folder, root: tree, ...small, limits: { hits: 2_000, bytes: 1e6, files: 1e9 } });
  const listed = spawnSync(program, ['--no-config', '--files', '-0', './'], { cwd: tree, maxBuffer: 1e9 });
  const files = listed.stdout.toString('utf8').split('\0').filter(Boolean).sort();
  const queries = chooseQueries(tree, files);
  const classes: Partial<Record<ClassName, ClassFigures>> = {};
  let equal = true;
  const first = await measureFirst({ tree, program, index, queries });
  for (let n = 1; n < rounds; n += 1) await warmUp(index, queries);
  for (const name of classNames) {
    const samples: Sample[] = [];
    for (const query of queries[name]) {
      samples.push(await measureQuery({ tree, program, index, exact, query, rounds, tell, name }));
    }
    equal = equal && samples.every((sample) => sample.equal);
    classes[name] = {
      ratio: round(median(samples.map(({ ripgrepMs, fullMs }) => ripgrepMs / fullMs))),
      capped: round(median(samples.map(({ ripgrepMs, cappedMs }) => ripgrepMs / cappedMs))),
      first: first[name],
      matches: samples.reduce((sum, { matches }) => sum + matches, 0),
      candidateBytes: samples.reduce((sum, { candidateBytes }) => sum + candidateBytes, 0),
    };
  }
  await Promise.all([index.close(), exact.close()]);
  return { equal, classes: classes as Record<ClassName, ClassFigures> };
}

interface First {
  readonly tree: string;
  readonly program: string;
  readonly index: Index;
  readonly queries: Queries;
}

/** What a process takes that has just started. */
async function measureFirst({ tree, program, index, queries }: First): Promise<Record<ClassName, number>> {
  const ratios: Partial<Record<ClassName, number>> = {};
  for (const name of classNames) {
    const found: number[] = [];
    for (const query of queries[name]) {
      const ripgrep = await runRipgrep(program, tree, query);
      found.push(ripgrep.ms / (await timed(index, query)).ms);
      await timed(index, { ...query, maxHits: 200 });
    }
    ratios[name] = round(median(found));
  }
  return ratios as Record<ClassName, number>;
}

/** A daemon lives all day: the rounds measure one that has answered before. */
async function warmUp(index: Index, queries: Queries): Promise<void> {
  for (const query of classNames.flatMap((name) => queries[name])) {
    await timed(index, query);
    await timed(index, { ...query, maxHits: 200 });
  }
}

interface Asked {
  readonly tree: string;
  readonly program: string;
  readonly index: Index;
  readonly exact: Index;
  readonly query: Query;
  readonly rounds: number;
  readonly tell: (line: string) => void;
  readonly name: string;
}

interface Sample {
  readonly ripgrepMs: number;
  readonly fullMs: number;
  readonly cappedMs: number;
  readonly matches: number;
  readonly candidateBytes: number;
  readonly equal: boolean;
}

async function measureQuery({ tree, program, index, exact, query, rounds, tell, name }: Asked): Promise<Sample> {
  const times: { ripgrep: number[]; full: number[]; capped: number[] } = { ripgrep: [], full: [], capped: [] };
  let candidateBytes = 0;
  for (let n = 0; n < rounds; n += 1) {
    times.ripgrep.push((await runRipgrep(program, tree, query)).ms);
    const full = await timed(index, query);
    times.full.push(full.ms);
    candidateBytes = full.candidateBytes;
    times.capped.push((await timed(index, { ...query, maxHits: 200 })).ms);
  }
  const { output } = await runRipgrep(program, tree, query);
  const answer = (await exact.query(query, never))?.answer;
  const equal = answer !== undefined && isEqual(answer, output);
  const [ripgrepMs, fullMs, cappedMs] = [median(times.ripgrep), median(times.full), median(times.capped)];
  const matches = answer?.totalMatches ?? 0;
  tell(
    `${name.padEnd(12)}${query.pattern.padEnd(46)} ripgrep ${ripgrepMs.toFixed(0).padStart(5)} ms, all ${fullMs.toFixed(1).padStart(7)} ms (${(ripgrepMs / fullMs).toFixed(1)}x), first 200 ${cappedMs.toFixed(1).padStart(6)} ms (${(ripgrepMs / cappedMs).toFixed(0)}x), ${matches} lines${equal ? '' : ' NOT EQUAL'}`,
  );
  return { ripgrepMs, fullMs, cappedMs, matches, candidateBytes, equal };
}

async function timed(index: Index, query: Query): Promise<{ readonly ms: number; readonly candidateBytes: number }> {
  const begin = performance.now();
  const found = await index.query(query, never);
  if (found === undefined) throw new Error(`the index did not answer ${query.pattern}`);
  return { ms: performance.now() - begin, candidateBytes: found.candidateBytes };
}

/** All counts by file, and the places of the first hits. */
function isEqual(answer: Answer, output: Buffer): boolean {
  const { counts, places } = readOutput(output);
  const isCut = answer.incomplete !== undefined && !/holds binary data/.test(answer.incomplete);
  if (isCut || answer.files?.length !== counts.size) return false;
  if (answer.files.some(({ path, count }) => counts.get(path) !== count)) return false;
  const found = new Set(places);
  return places.length >= 500_000 || answer.hits.every(({ path, line }) => found.has(`${path}:${line}`));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
