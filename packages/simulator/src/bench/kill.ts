/** The kill bench: `npm run -s bench:kill -- --rounds N --json`. Human lines first, with --json one JSON line last. */
import { measureKill } from './kill/measure-kill.ts';
import { readOptions, wrongUse } from './read-options.ts';

/** within this a session has gone on. */
const mostResumeMs = 3_000;

const usage = 'kill -- [--rounds N] [--seed N] [--json]';

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  });
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) return wrongUse(usage);
  const round = (line: string) => process.stdout.write(`${line}\n`);
  const figures = await measureKill({ rounds, random: seeded(seed), round });
  const { lost, duplicatedEffects, orphans, resumeP95Ms } = figures;
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  return lost + duplicatedEffects + orphans === 0 && resumeP95Ms <= mostResumeMs ? 0 : 1;
}

/** The same kills for the same seed, as far as the machine plays along (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
