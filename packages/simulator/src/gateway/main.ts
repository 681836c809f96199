/** The process entry of `npm run gateway`: SIGINT and SIGTERM end it with its summary. */
import { runAlone } from './run-alone.ts';

const running = await runAlone(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
if (typeof running === 'number') process.exitCode = running;
else for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.finish());
