/** `npm run bench:replay -- --from DIR [--json]`: prints the planner's figures over recorded sessions as one JSON line. */
import { parseArgs } from 'node:util';
import { measureReplay } from './replay/measure-replay.ts';
import { readSessions } from './replay/shapes.ts';

const { values } = parseArgs({ options: { from: { type: 'string' }, json: { type: 'boolean' } } });
const from = values.from ?? process.env.ZERD_DATA;
if (from === undefined) {
  console.error('Name the folder of shapes.jsonl.gz: bench:replay -- --from DIR');
  process.exit(2);
}
const sessions = readSessions(from);
console.log(JSON.stringify({ bench: 'replay', sessions: sessions.length, prices: measureReplay(sessions) }));
