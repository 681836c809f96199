/** The soak bench: `npm run -s bench:soak -- --minutes M --json`. Human lines first, with --json one JSON line last. Linux only. */
import { readOptions, wrongUse } from './read-options.ts';
import { measureSoak } from './soak/measure-soak.ts';

/** */
const mostIdleMb = 90;
/** from here on a slope means something, and is held to. */
const slopeMinutes = 120;
const mostSlopeMbPerH = 1;
const mostWalMb = 64;
/** Connections that are kept for the next request come and go. */
const mostFiles = 4;

const usage = 'soak -- [--minutes M] [--json]';

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    minutes: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) return wrongUse(usage);
  const figures = await measureSoak({ minutes, tell: (line) => void process.stdout.write(`${line}\n`) });
  const { idleRssMb, fds, children, rssSlopeMbPerH, walMb } = figures;
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  const flat = minutes < slopeMinutes || rssSlopeMbPerH <= mostSlopeMbPerH;
  return idleRssMb <= mostIdleMb && fds <= mostFiles && children <= 0 && walMb <= mostWalMb && flat ? 0 : 1;
}
