/**
 * One `zerd` from its arguments to its exit status: the wall where expected failures become a message with what to do
 * next, and defects a stack.
 */
import { types } from 'node:util';
import { errorTable, isZerdError, type ZerdError } from '@zerd/protocol/common/errors';
import { sanitise } from '@zerd/protocol/common/sanitise';
import type { Intention } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCode, exitCodeOfError } from './exit-code.ts';
import type { Following } from './following.ts';
import { plainArguments } from './plain-arguments.ts';
import { completionLines } from './present/completions.ts';
import { knownSessions } from './session/known-sessions.ts';

export async function zerd(argv: readonly string[], context: Context): Promise<number> {
  const { terminal } = context;
  const intention = await intentionOf(argv, terminal.outputColumns);
  switch (intention.kind) {
    case 'show':
      terminal.out(intention.text);
      return exitCode.done;
    case 'complete':
      terminal.out(await completions(intention, context));
      return exitCode.done;
    case 'refuse':
      terminal.err(sanitise(`zerd: ${intention.message}\n${intention.hint}\n`));
      return exitCode.usage;
    case 'perform':
      return await intention.command.perform(intention.args, context).catch((error: unknown) => {
        terminal.err(sanitise(failureText(error, intention.command)));
        return intention.command.failedStatus ?? exitCodeOfError(isZerdError(error) ? error.code : undefined);
      });
  }
}

/** yargs is loaded only where it is needed. */
async function intentionOf(argv: readonly string[], columns: number | undefined): Promise<Intention> {
  const plain = plainArguments(argv);
  return plain ? { kind: 'perform', ...plain } : (await import('./arguments.ts')).parseArguments(argv, columns);
}

async function completions(following: Following, context: Context): Promise<string> {
  const sessions = following.sessions ? await knownSessions(context) : [];
  return completionLines(following, sessions, context.terminal.env.SHELL);
}

function failureText(error: unknown, command: Command): string {
  if (isZerdError(error)) return `zerd: ${error.message}\n${advice(error, command)}`;
  return `zerd: a defect: ${types.isNativeError(error) ? (error.stack ?? error.message) : String(error)}\n`;
}

/** What the table says to do, unless the message says it already, by a command of its own. */
function advice({ code, message }: ZerdError, { name }: Command): string {
  const todo = code === 'invalid_params' ? `See \`zerd ${name} --help\`.` : (errorTable[code]?.todo ?? '');
  const told = todo === '' || message.includes(todo) || /(?:`|: )zerd [a-z]/.test(message);
  return told ? '' : `${todo}\n`;
}
