/**
 * Every option, declared once: parsing, the help and the types of what the commands receive all come from here. A
 * command lists the names of those it takes.
 */
import type { Mode } from '@zerd/protocol/common/mode';
import type { InferredOptionTypes, Options } from 'yargs';

const modes = ['read-only', 'ask', 'edit', 'full'] as const satisfies readonly Mode[];

export const options = {
  model: { type: 'string', requiresArg: true, describe: 'The model, as provider/model' },
  mode: {
    choices: modes,
    requiresArg: true,
    describe:
      'What happens without asking: read-only looks, edit also changes files, full also runs commands; ask asks',
  },
  trust: { type: 'boolean', describe: 'Trust this repository for this run' },
  session: { type: 'string', requiresArg: true, describe: 'A session by its id (ses_...)' },
  request: { type: 'string', requiresArg: true, describe: 'A request by its id (req_...); default: the next one' },
  continue: { type: 'boolean', describe: 'Go on with the newest session of this repository' },
  'max-requests': { type: 'number', requiresArg: true, describe: 'Stop after so many requests to the model (exit 3)' },
  json: { type: 'boolean', describe: 'Print JSON' },
  'stream-json': { type: 'boolean', describe: 'Print every event as it is committed, one JSON object a line' },
  'no-daemon': { type: 'boolean', describe: 'Use a private daemon that ends with this command' },
  'until-idle': { type: 'boolean', describe: 'End when the session has nothing left to do' },
  list: { type: 'boolean', describe: 'List the methods with a sentence each' },
  show: { type: 'boolean', describe: 'Say whether this repository is trusted' },
  revoke: { type: 'boolean', describe: 'Trust this repository no longer' },
} as const satisfies Readonly<Record<string, Options>>;

export type OptionName = keyof typeof options;
export type OptionValues<N extends OptionName> = Readonly<Partial<InferredOptionTypes<Pick<typeof options, N>>>>;
