/** `zerd rpc`: one call of the protocol, for scripts. The daemon validates; the answer or the error is one JSON value. */
import { errorTable, isZerdError } from '@zerd/protocol/common/errors';
import type { ClientMethod, ParamsOf } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { callAndFollow, type FollowOptions } from './follow-call.ts';
import { methodLines, methodOverview, methodTopics } from './method-help.ts';

export const rpcCommand = defineCommand({
  name: 'rpc',
  usage: 'rpc [method] [params]',
  says: 'Calls a method of the protocol and prints its result as JSON',
  positionals: {
    method: { type: 'string', describe: 'The method, as resource/verb' },
    params: { type: 'string', describe: 'Its parameters, a JSON object; - reads them from standard input' },
  },
  options: ['list', 'follow', 'until-idle', 'deltas'],
  examples: [
    ['zerd rpc --list', 'What can be called'],
    ['zerd rpc turn/start --help', 'What a method takes and gives'],
    ['zerd rpc daemon/status', 'Who the daemon is and what it waits for'],
    [`zerd rpc session/read '{"sessionId":"ses_...","limit":10}'`, 'Parameters in line'],
    ['zerd rpc turn/start - < turn.json', 'Parameters from a file'],
    ['zerd rpc turn/start - --follow --until-idle < turn.json', 'Then what happens in its session, a notice a line'],
  ],
  epilogue: methodOverview,
  topics: methodTopics,
  complaint({ method, list, follow, deltas, 'until-idle': untilIdle }) {
    if ((deltas || untilIdle) && !follow) return `--${deltas ? 'deltas' : 'until-idle'} goes with --follow.`;
    if (list === true) return method === undefined ? undefined : 'Use --list alone.';
    return method === undefined ? 'Name a method, or use --list.' : undefined;
  },
  async perform({ method, params, ...args }, context) {
    if (method !== undefined) return await callMethod(method, params, args, context);
    context.terminal.out(methodLines());
    return exitCode.done;
  },
});

async function callMethod(
  method: string,
  given: string | undefined,
  how: FollowOptions,
  context: Context,
): Promise<number> {
  const { terminal, connect } = context;
  const params = await paramsOf(given, terminal);
  if (params === undefined) return refuse(method, terminal);
  try {
    if (how.follow) return await callAndFollow(method, params, how, context);
    const client = await connect('daemon');
    try {
      terminal.out(`${safeJson(await call(client, method, params), terminal.outputIsTerminal ? 2 : undefined)}\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  } catch (error) {
    return tell(method, error, terminal);
  }
}

async function paramsOf(given: string | undefined, terminal: Terminal): Promise<object | undefined> {
  const text = given === '-' ? await terminal.readInput() : (given ?? '{}');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // Said to the user by the caller, together with JSON that is no object.
    return undefined;
  }
}

function refuse(method: string, terminal: Terminal): number {
  const hint = `See \`zerd rpc ${sanitiseLine(method)} --help\`.`;
  terminal.err(`zerd: The parameters are not a JSON object. Nothing was sent.\n${hint}\n`);
  return exitCode.usage;
}

function call(client: ZerdClient, method: string, params: object): Promise<unknown> {
  // Whether the method exists and the parameters fit is the daemon's to say.
  return client.request(method as ClientMethod, params as ParamsOf<ClientMethod>);
}

function tell(method: string, error: unknown, terminal: Terminal): number {
  if (!isZerdError(error)) throw error;
  const todo = (errorTable[error.code]?.todo ?? '').replace('METHOD', () => method);
  terminal.err(`${safeJson({ code: error.code, message: error.message, todo })}\n`);
  return exitCode.failed;
}
