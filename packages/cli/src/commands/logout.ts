/** `zerd logout`: removes what `zerd login` kept. What the environment or the configuration holds stays, and is named. */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { sourceOf } from '../present/key-table.ts';

export const logoutCommand = defineCommand({
  name: 'logout',
  usage: 'logout <provider>',
  says: 'Removes the key or the sign-in that zerd login kept',
  positionals: { provider: { type: 'string', demandOption: true, describe: 'As in zerd login' } },
  options: [],
  examples: [['zerd logout chatgpt', 'The provider itself is not told: end the sign-in there too if it was stolen']],
  async perform({ provider }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { removedFrom, left } = await client.request('auth/logout', { provider });
      const name = sanitiseLine(provider);
      terminal.out(removedFrom.length === 0 ? `Nothing was kept of ${name}.\n` : `Removed what was kept of ${name}.\n`);
      if (left !== undefined && left.source !== 'missing' && left.source !== 'none')
        terminal.err(`zerd: its key still comes from elsewhere: ${sourceOf(left)}.\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});
