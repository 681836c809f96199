/** `npm run bench:replay -- --from DIR [--json]`: prints the planner's figures over recorded sessions as one JSON line. */
import { readOptions, wrongUse } from './read-options.ts';
import { measureReplay } from './replay/measure-replay.ts';
import { readSessions } from './replay/shapes.ts';

const usage = 'replay -- --from DIR [--json]';
const values = readOptions(usage, { from: { type: 'string' }, json: { type: 'boolean' } });
const from = values.from ?? process.env.ZERD_DATA;
if (from === undefined) {
  process.exit(wrongUse(usage));
}
const sessions = readSessions(from);
console.log(JSON.stringify({ bench: 'replay', sessions: sessions.length, prices: measureReplay(sessions) }));
