/** `zerd forget`: takes a secret out of everything that zerd keeps. It is read from standard input, never from an argument. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';

export const forgetCommand = defineCommand({
  name: 'forget',
  usage: 'forget',
  says: 'Replaces a secret, given on standard input, wherever zerd keeps it for this repository; files of the repository stay as they are',
  positionals: {},
  options: ['json'],
  examples: [
    ['zerd forget < secret.txt', 'A last line break is no part of it'],
    ['printf %s "$KEY" | zerd forget', 'Change the key all the same: it was sent to a provider'],
  ],
  async perform({ json }, { terminal, connect }) {
    if (terminal.inputIsTerminal)
      throw new ZerdError(
        'invalid_params',
        'Give the secret on standard input: zerd forget < FILE. Nothing was changed.',
      );
    const secret = (await terminal.readInput()).replace(/\r?\n$/, '');
    const client = await connect('daemon');
    try {
      const report = await client.request('secret/forget', { secret });
      terminal.out(json === true ? `${JSON.stringify(report)}\n` : `${found(report)}\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

function found({ events, bodies, files }: ResultOf<'secret/forget'>): string {
  if (events + bodies + files === 0)
    return 'It stands nowhere in what zerd keeps for this repository. Was it given as it stood there, to the letter?';
  return `It stood in ${events} events, ${bodies} archived bodies and ${files} other files, and is gone from them.`;
}
