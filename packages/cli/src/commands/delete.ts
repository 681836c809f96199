/** `zerd delete`: removes a session for good. */

import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { asSessionId, sessionComplaint } from '../session/session-id.ts';

export const deleteCommand = defineCommand({
  name: 'delete',
  usage: 'delete <session>',
  says: 'Removes a session, its sub-agents and what only they had archived, for good; what it cost stays counted',
  positionals: { session: { type: 'string', demandOption: true, describe: 'As `zerd sessions` lists it' } },
  options: [],
  examples: [['zerd delete ses_...', 'Asks nothing: name the one you mean']],
  complaint: ({ session }) => sessionComplaint(session),
  async perform({ session }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { deleted } = await client.request('session/delete', { sessionId: asSessionId(session) });
      for (const id of deleted) terminal.out(`Removed: ${sanitiseLine(id)}\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});
