/** `zerd say`: says something while a session works: to the turn that runs, or for a turn of its own after it. */
import type { PromptId } from '@zerd/protocol/common/ids';
import type { ParamsOf, ResultOf } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import type { OptionValues } from '../options.ts';
import { imagesFrom } from '../session/given-images.ts';
import type { OpenSession } from '../session/open-session.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';
import { limitComplaint, limitNames, limitsOf } from '../turn-limits.ts';
import { readPrompt } from './prompt.ts';

const optionNames = ['session', 'queue', 'image', ...limitNames, 'run-next', 'take-back', 'trust', 'json'] as const;
type SayArguments = OptionValues<(typeof optionNames)[number]>;

export const sayCommand = defineCommand({
  name: 'say',
  usage: 'say [text..]',
  says: 'Says something to the turn that runs, or for the next one; without a text: shows what waits',
  positionals: { text: { type: 'string', array: true, describe: 'What you say; - stands for standard input' } },
  options: optionNames,
  examples: [
    ['zerd say "leave the tests as they are"', 'To the running turn, before its next request'],
    ['zerd say --queue "then update the docs"', 'Begins by itself when that turn is done'],
    ['zerd say --queue --max-cost 0.50 "and translate them"', 'The same, within a limit'],
    ['zerd say --image shot.png "it should look like this"', 'Shows an image with it'],
    ['zerd say', 'What waits'],
    ['zerd say --take-back prm_...', 'Not after all'],
  ],
  epilogue: 'Without --session: the newest session. When no turn runs, what you say begins one.',
  complaint(args) {
    const { text, session, queue, 'run-next': runNext, 'take-back': takeBack } = args;
    const other = [runNext === true, takeBack !== undefined, text !== undefined && text.length > 0];
    if (other.filter(Boolean).length > 1 || (queue && (runNext || takeBack !== undefined)))
      return 'Say something, or use one of --run-next and --take-back.';
    if (takeBack !== undefined && !takeBack.startsWith('prm_')) return `'${takeBack}' is none: they begin with prm_.`;
    if (args.image !== undefined && other[2] !== true) return '--image goes with what you say.';
    const limited = limitNames.find((name) => args[name] !== undefined);
    if (limited !== undefined && queue !== true)
      return `--${limited} holds for a turn of its own: it goes with --queue.`;
    return limitComplaint(args) ?? sessionComplaint(session);
  },
  async perform(args, { terminal, connect }) {
    const changes = args['run-next'] === true || args['take-back'] !== undefined;
    const text = changes || args.text === undefined ? undefined : await readPrompt(args.text, terminal);
    if (args.text !== undefined && args.text.length > 0 && text === undefined) {
      terminal.err('zerd: There is nothing to say. Nothing was sent.\n');
      return exitCode.usage;
    }
    const images = await imagesFrom(args.image, terminal.cwd);
    const client = await connect('daemon');
    try {
      const session = await pickSession(client, args.session);
      const { result, says } = await (text === undefined
        ? change(client, session, args)
        : say(client, session, { text, ...images }, args));
      terminal.out(args.json === true ? `${safeJson(result)}\n` : says);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

interface Said {
  readonly result: unknown;
  readonly says: string;
}

type Words = Pick<ParamsOf<'turn/steer'>, 'text' | 'images'>;

async function say(client: ZerdClient, { sessionId }: OpenSession, words: Words, args: SayArguments): Promise<Said> {
  const { turnId } = await client.request('session/read', { sessionId, limit: 1 });
  const trust = given({ trust: args.trust });
  if (turnId !== undefined && args.queue !== true) {
    const result = await client.request('turn/steer', { sessionId, expectedTurnId: turnId, ...words, ...trust });
    return { result, says: `${result.promptId} goes to the running turn of ${sessionId}.\n` };
  }
  const result = await client.request('turn/queue', { sessionId, ...words, ...limitsOf(args), ...trust });
  return { result, says: `${result.promptId} ${what(result)} in ${sessionId}.\n` };
}

function what({ turnId, paused, needs }: ResultOf<'turn/queue'>): string {
  if (turnId !== undefined) return `began ${turnId}`;
  if (needs !== undefined) return `waits: ${needs.message} It waits`;
  return paused === true
    ? 'waits: the last turn did not end well. `zerd say --run-next` begins it'
    : 'waits for the turns before it';
}

async function change(client: ZerdClient, { sessionId }: OpenSession, args: SayArguments): Promise<Said> {
  if (args['take-back'] !== undefined) {
    const promptId = args['take-back'] as PromptId;
    const result = await client.request('turn/queue', { sessionId, promptId, text: null });
    return { result, says: `${promptId} was taken back.\n` };
  }
  if (args['run-next'] === true) {
    const result = await client.request('turn/queue', { sessionId, run: true, ...given({ trust: args.trust }) });
    return { result, says: result.turnId === undefined ? 'Nothing to begin.\n' : `Began ${result.turnId}.\n` };
  }
  const { queue = [], queuePaused = false, queueNeeds } = await client.request('session/read', { sessionId, limit: 1 });
  const lines = queue.map(({ promptId, text, steers }) => {
    const how = steers === undefined ? '' : ' (to the running turn)';
    return `${promptId}${how}  ${sanitiseLine(text)}\n`;
  });
  const why = queueNeeds?.message ?? '`zerd say --run-next` goes on.';
  const paused = queuePaused && lines.length > 0 ? `Paused: ${why}\n` : '';
  const says = lines.length === 0 ? `Nothing waits in ${sessionId}.\n` : lines.join('') + paused;
  return { result: { sessionId, queue, queuePaused, ...given({ queueNeeds }) }, says };
}
