/** `zerd attach` for the help: the program itself is another one, which `bin/zerd.js` loads. */
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';

export const attachCommand = defineCommand({
  name: 'attach',
  usage: 'attach [session]',
  says: 'Opens a session in the terminal UI: the newest, or the one that is named. `zerd` alone opens a new one',
  positionals: { session: { type: 'string', describe: 'As `zerd sessions` lists it; absent: the newest' } },
  options: ['model', 'mode', 'trust'],
  examples: [
    ['zerd', 'A new session, begun with the first thing said'],
    ['zerd attach', 'The newest session, whatever it is doing'],
  ],
  async perform(_args, { terminal }) {
    terminal.err('zerd: the terminal UI needs a terminal; for scripts there is `zerd run "<prompt>"`.\n');
    return exitCode.usage;
  },
});
