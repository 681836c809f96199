/** The attach bench: `npm run -s bench:attach -- --json`. Human lines first, with --json one JSON line last. */
import { measureAttach } from './attach/measure-attach.ts';
import { readOptions, wrongUse } from './read-options.ts';

/** on a quiet machine of two cores. */
const most = { attachP50Ms: 30, attachP99Ms: 150, rpcP99Ms: 25, loopLagP99Ms: 20 } as const;

const usage = 'attach -- [--events N] [--clients N] [--sessions N] [--json]';

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    events: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '8' },
    sessions: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  });
  const [events, clients, sessions] = [values.events, values.clients, values.sessions].map(Number);
  if (!isCount(events) || !isCount(clients) || !isCount(sessions)) return wrongUse(usage);
  const figures = await measureAttach({
    events,
    clients,
    sessions,
    tell: (line) => void process.stdout.write(`${line}\n`),
  });
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  const held = Object.entries(most).every(([name, ms]) => figures[name as keyof typeof most] <= ms);
  return figures.orderHashesEqual && held ? 0 : 1;
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value > 0;
}
