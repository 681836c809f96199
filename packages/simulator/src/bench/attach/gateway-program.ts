/** The gateway of the attach bench, in a process of its own. Says its address. */
import { startGateway } from '../../gateway/start.ts';
import { summarising } from '../../players/summarising.ts';
import { attachPlayer } from './player.ts';
import { untilAsked } from './program.ts';

const models = { sim: { window: 200_000, maxOutput: 64_000 } };
const gateway = await startGateway({ player: summarising(attachPlayer), models, lenient: true });
process.stdout.write(`${gateway.origin}\n`);
await untilAsked();
process.exit(0);
