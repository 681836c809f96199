/** `zerd grants`: the commands that run in this repository without being asked about. */
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';

const actions = ['list', 'add', 'remove'];

export const grantsCommand = defineCommand({
  name: 'grants',
  usage: 'grants [action] [rule]',
  says: 'Shows and changes which commands run here without asking, in the modes ask and edit',
  positionals: {
    action: { type: 'string', describe: 'list, add or remove', defaultDescription: 'list' },
    rule: { type: 'string', describe: "A command as it stands, or with ' *' behind, whatever follows" },
  },
  options: ['json'],
  examples: [
    ['zerd grants', 'What is allowed, and where that stands'],
    ["zerd grants add 'npm test *'", 'npm test, with whatever comes behind'],
    ["zerd grants remove 'npm test *'", 'It is asked about again'],
  ],
  epilogue:
    'Kept for you alone, outside the repository. Rules for every repository stand in the configuration file, as permissions.commands. Commands that only look are never asked about.',
  complaint: ({ action = 'list', rule }) => {
    if (!actions.includes(action)) return `'${action}' is not one of list, add or remove.`;
    if (action !== 'list' && rule === undefined) return `Say which command: zerd grants ${action} 'npm test *'`;
    return action === 'list' && rule !== undefined ? 'The list takes no command.' : undefined;
  },
  async perform({ action, rule = '', json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { rules } = await apply(client, action, rule);
      const lines = rules.map(
        (one) => `${sanitiseLine(one.rule)}${one.from === 'configuration' ? '   (configuration)' : ''}`,
      );
      const shown = lines.length === 0 ? ['Nothing is allowed but what only looks.'] : lines;
      terminal.out(json === true ? `${safeJson(rules)}\n` : `${shown.join('\n')}\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

function apply(client: ZerdClient, action: string | undefined, rule: string) {
  if (action === 'add') return client.request('grant/add', { rule });
  return action === 'remove' ? client.request('grant/remove', { rule }) : client.request('grant/list', {});
}
