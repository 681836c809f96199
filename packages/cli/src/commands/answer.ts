/** `zerd answer`: answers what a session asks its user, a question or whether a call may run; the first answer holds. */
import { ZerdError } from '@zerd/protocol/common/errors';
import { safeJson } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { paint } from '../present/paint.ts';
import { answerLine, type Pending, pendingLines, pendingOf, readAnswer } from '../present/pending.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';
import { coloursOutput } from '../terminal.ts';

export const answerCommand = defineCommand({
  name: 'answer',
  usage: 'answer [text..]',
  says: 'Answers what a session asks you; without a text: shows what it asks',
  positionals: { text: { type: 'string', array: true, describe: 'The answer, the number of an option, yes, or no' } },
  options: ['session', 'id', 'json'],
  examples: [
    ['zerd answer', 'What the newest session asks'],
    ['zerd answer 2', 'The second option'],
    ['zerd answer yes', 'The call may run'],
    ['zerd answer no use the old name', 'It may not, and why'],
  ],
  epilogue: 'Without --session: the newest session that asks something. Of several answers the first holds.',
  complaint: ({ session, id }) =>
    id === undefined || /^(que|apr)_/.test(id)
      ? sessionComplaint(session)
      : `'${id}' is none: they begin with que_ or apr_.`,
  async perform({ text = [], session, id, json }, context) {
    const client = await context.connect('daemon');
    try {
      const pending = await pendingIn(client, session);
      const words = text.join(' ');
      if (text.length === 0) return show(pending, { json, session }, context);
      const one = id === undefined ? pending[0] : pending.find((candidate) => candidate.id === id);
      return await answer(client, one, words, id, context);
    } finally {
      client.close();
    }
  },
});

/** Of the named session, or of the newest that waits for somebody. */
async function pendingIn(client: ZerdClient, named: string | undefined): Promise<readonly Pending[]> {
  const waiting = async () => {
    const { sessions } = await client.request('session/list', {});
    return sessions.find(({ state, parentId }) => state === 'waiting' && parentId === undefined)?.sessionId;
  };
  const { sessionId } = await pickSession(client, named ?? (await waiting()));
  return pendingOf(sessionId, await client.request('session/read', { sessionId, limit: 1 }));
}

interface Shown {
  readonly json: boolean | undefined;
  readonly session: string | undefined;
}

/** A person is told how it is answered; what reads a pipe knows. */
function show(pending: readonly Pending[], { json, session }: Shown, { terminal }: Context): number {
  const how = (one: Pending) => (terminal.outputIsTerminal ? [answerLine(one, pending, session)] : []);
  if (json) terminal.out(`${safeJson(pending)}\n`);
  else if (pending.length === 0) terminal.out('Nothing is asked.\n');
  for (const line of json ? [] : pending.flatMap((one) => [...pendingLines(one), ...how(one)]))
    terminal.out(paint(line, coloursOutput(terminal)));
  return exitCode.done;
}

async function answer(
  client: ZerdClient,
  pending: Pending | undefined,
  words: string,
  id: string | undefined,
  { terminal }: Context,
): Promise<number> {
  if (pending === undefined) {
    const what = id === undefined ? 'Nothing is asked' : `${id} is not asked here, or was answered`;
    throw new ZerdError('already_resolved', `${what}; nothing was sent. See \`zerd answer\`.`);
  }
  const said = readAnswer(pending, words);
  if (said.method === undefined) {
    terminal.err(`zerd: ${said.says} Nothing was sent.\n`);
    return exitCode.usage;
  }
  if (said.method === 'approval/answer') await client.request(said.method, said.params);
  else await client.request(said.method, said.params);
  return exitCode.done;
}
