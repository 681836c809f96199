/** The process `zerd`. The version is answered before anything else is loaded; so is nothing of the wire for help. */

import { zerdVersion } from '@zerd/protocol/common/version';
import { systemClock } from '@zerd/protocol/node/clock';
import type { Reach } from './command.ts';
import { systemTerminal } from './terminal.ts';

const [, , ...argv] = process.argv;
if (argv.length === 1 && argv[0] === '--version') process.stdout.write(`zerd ${zerdVersion}\n`);
else void start();

async function start(): Promise<void> {
  const terminal = systemTerminal();
  const connect = async (how: Reach) => (await import('./connect.ts')).connector(terminal)(how);
  const { zerd } = await import('./zerd.ts');
  const code = await zerd(argv, { terminal, clock: systemClock, connect });
  terminal.finish(code);
}
