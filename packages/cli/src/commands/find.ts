/** `zerd find`: the files whose path fits what is typed, the best first; a glob lists all that it means, in order. */

import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { given } from '../given.ts';

export const findCommand = defineCommand({
  name: 'find',
  usage: 'find <pattern>',
  says: 'Finds files of this repository by letters of their path, or by a glob',
  positionals: { pattern: { type: 'string', demandOption: true, describe: 'Letters in their order, or a glob' } },
  options: ['limit', 'json'],
  examples: [
    ['zerd find fold.ts', 'The nearest first'],
    ['zerd find "cli ses"', 'Both words, in any order'],
    ["zerd find '**/*.test.ts'", 'A glob'],
  ],
  epilogue: 'Exit status: 0 files, 1 none, 2 an error, or the list is not whole.',
  failedStatus: 2,
  complaint: ({ limit }) =>
    limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= 1_000)
      ? undefined
      : '--limit takes a whole number from 1 to 1000.',
  async perform({ pattern, limit, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const found = await client.request('file/find', { typed: pattern, ...given({ limit }) });
      const { paths, total, incomplete } = found;
      if (json === true) terminal.out(`${safeJson(found)}\n`);
      else terminal.out(paths.map((path) => `${sanitiseLine(path)}\n`).join(''));
      if (json !== true && total > paths.length) terminal.err(`zerd: ${paths.length} shown of ${total} files\n`);
      if (json !== true && total === 0 && incomplete === undefined) terminal.err('zerd: No file fits.\n');
      if (json !== true && incomplete !== undefined) terminal.err(`zerd: ${sanitiseLine(incomplete)}\n`);
      return incomplete !== undefined ? 2 : total > 0 ? 0 : 1;
    } finally {
      client.close();
    }
  },
});
