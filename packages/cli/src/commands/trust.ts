/** `zerd trust`: says, asks or takes back that this repository may be read and that its code may run. */

import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';

export const trustCommand = defineCommand({
  name: 'trust',
  usage: 'trust',
  says: 'Trusts this repository: its files may be read and, as the mode allows, its code may run',
  positionals: {},
  options: ['show', 'revoke'],
  examples: [
    ['zerd trust', 'Remembered for you alone, outside the repository'],
    ['zerd trust --show', 'Changes nothing'],
    ['zerd trust --revoke', 'From now on nothing of it is read or run'],
  ],
  complaint: ({ show, revoke }) => (show && revoke ? 'Use one of --show and --revoke.' : undefined),
  async perform(args, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { root, trusted } = await apply(client, args);
      terminal.out(`${trusted ? 'Trusted' : 'Not trusted'}: ${sanitiseLine(root)}\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

function apply(
  client: ZerdClient,
  { show, revoke }: { readonly show?: boolean | undefined; readonly revoke?: boolean | undefined },
) {
  return show === true ? client.request('trust/read', {}) : client.request('trust/set', { trusted: revoke !== true });
}
