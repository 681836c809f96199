/** `npm run -s bench:session -- --from FILE [--wire anthropic] [--json]`: replays a recorded session; one JSON line last. */
import { wireRows } from '../gateway/wires.ts';
import { readOptions, wrongUse } from './read-options.ts';
import { readRecorded } from './session/recorded.ts';
import { replaySession } from './session/replay-session.ts';

const usage = `session -- --from FILE [--wire ${wireRows.map((row) => row.wire).join('|')}] [--json]`;

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    from: { type: 'string' },
    wire: { type: 'string', default: 'anthropic' },
    json: { type: 'boolean', default: false },
  });
  const wire = wireRows.find((row) => row.wire === values.wire)?.wire;
  if (values.from === undefined || wire === undefined) return wrongUse(usage);
  const startedAt = performance.now();
  const { figures, complaints } = await replaySession(readRecorded(values.from), wire);
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
  const { id, calls, failed, requests, weighted, peakTokens } = figures;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(
    `${id} over ${wire}: ${calls} calls, ${failed} ended otherwise than recorded; ${requests} requests, weighted ${weighted}, peak ${peakTokens} tokens; ${seconds} s\n`,
  );
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  return failed === 0 ? 0 : 1;
}
