/** `zerd acp` for the help: the program itself is another one, which `bin/zerd.js` loads. */
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';

export const acpCommand = defineCommand({
  name: 'acp',
  usage: 'acp',
  says: 'Speaks the Agent Client Protocol on standard input and output, for editors',
  positionals: {},
  options: [],
  examples: [['zerd acp', 'What an editor is told to start; see docs/editors.md']],
  async perform(_args, { terminal }) {
    terminal.err('zerd: an editor starts `zerd acp` and speaks to it; see docs/editors.md.\n');
    return exitCode.usage;
  },
});
