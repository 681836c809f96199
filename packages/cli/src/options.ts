/**
 * Every option, declared once: parsing, the help and the types of what the commands receive all come from here. A
 * command lists the names of those it takes.
 */
import type { Mode } from '@zerd/protocol/common/mode';
import type { InferredOptionTypes, Options } from 'yargs';

const modes = ['read-only', 'ask', 'edit', 'full'] as const satisfies readonly Mode[];

const formats = ['md', 'json'] as const;

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
  request: { type: 'string', requiresArg: true, describe: 'The same as --at' },
  at: {
    type: 'string',
    requiresArg: true,
    describe: 'Which event is the last one that stays, by its number',
  },
  turns: { type: 'number', requiresArg: true, describe: 'How many of the newest messages; default: 1' },
  force: { type: 'boolean', describe: 'Put back also what something else changed; it is archived first' },
  preview: { type: 'boolean', describe: 'Change nothing, say what would be' },
  raw: { type: 'boolean', describe: 'Print the body that was sent, byte for byte' },
  continue: { type: 'boolean', describe: 'Go on with the newest session of this repository' },
  'max-requests': { type: 'number', requiresArg: true, describe: 'Stop after so many requests to the model (exit 3)' },
  'max-cost': {
    type: 'number',
    requiresArg: true,
    describe: 'Dollars that the session may spend in all, with its sub-agents (exit 3)',
  },
  'max-tokens': { type: 'number', requiresArg: true, describe: 'The same in tokens, cached ones too' },
  image: { type: 'string', array: true, nargs: 1, describe: 'Show this image too; may be given again' },
  json: { type: 'boolean', describe: 'Print JSON' },
  'stream-json': { type: 'boolean', describe: 'Print every event as it is committed, one JSON object a line' },
  deltas: { type: 'boolean', describe: 'Print also the pieces of an answer while it is written' },
  'no-daemon': { type: 'boolean', describe: 'Use a private daemon that ends with this command' },
  'until-idle': { type: 'boolean', describe: 'End when the session has nothing left to do' },
  'ignore-case': { type: 'boolean', alias: 'i', describe: 'Upper and lower case are one' },
  'smart-case': { type: 'boolean', alias: 'S', describe: 'The same, unless the pattern holds a capital letter' },
  'word-regexp': { type: 'boolean', alias: 'w', describe: 'Whole words only' },
  'fixed-strings': { type: 'boolean', alias: 'F', describe: 'The pattern is plain text' },
  glob: { type: 'string', alias: 'g', requiresArg: true, describe: 'Files to look at; with ! in front: all others' },
  type: { type: 'string', alias: 't', requiresArg: true, describe: 'Files of a kind, as ripgrep names it: ts, rust' },
  context: { type: 'number', alias: 'C', requiresArg: true, describe: 'Lines around each match' },
  multiline: { type: 'boolean', alias: 'U', describe: 'A match may go over lines' },
  count: { type: 'boolean', alias: 'c', describe: 'Say only how many there are' },
  limit: { type: 'number', requiresArg: true, describe: 'At most so many' },
  device: { type: 'boolean', describe: 'Sign in on another device, by a code' },
  edit: { type: 'boolean', describe: 'Change them in $VISUAL or $EDITOR' },
  follow: { type: 'boolean', alias: 'f', describe: 'Go on until it ends' },
  'wait-jobs': { type: 'boolean', describe: 'Stay until the commands that run in the background have ended' },
  tree: { type: 'boolean', describe: 'Show forks and sub-agents below the sessions that they come from' },
  format: { choices: formats, requiresArg: true, describe: 'md to read (default), json for programs' },
  output: { type: 'string', alias: 'o', requiresArg: true, describe: 'Write into this file' },
  ask: {
    type: 'boolean',
    describe: 'Ask here, in the terminal, what needs your word; otherwise the run ends (exit 4)',
  },
  id: { type: 'string', requiresArg: true, describe: 'Which one (que_... or apr_...); default: the oldest' },
  queue: { type: 'boolean', describe: 'For a turn of its own, after the one that runs' },
  'run-next': { type: 'boolean', describe: 'Begin what waits, also after a turn that did not end well' },
  'take-back': { type: 'string', requiresArg: true, describe: 'Take back what waits (prm_...)' },
  html: { type: 'string', requiresArg: true, describe: 'Write a page with charts into this file' },
  list: { type: 'boolean', describe: 'List the methods with a sentence each' },
  show: { type: 'boolean', describe: 'Say whether this repository is trusted' },
  yes: { type: 'boolean', describe: 'Ask nothing; with --digest' },
  digest: { type: 'string', requiresArg: true, describe: 'Say yes to what has this digest, and to nothing else' },
  revoke: { type: 'boolean', describe: 'Trust this repository no longer' },
} as const satisfies Readonly<Record<string, Options>>;

export type OptionName = keyof typeof options;
export type OptionValues<N extends OptionName> = Readonly<Partial<InferredOptionTypes<Pick<typeof options, N>>>>;
