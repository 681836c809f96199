/** `zerd context`: what the model sees of a session, now or at a past request, block by block. */
import type { RequestId } from '@zerd/protocol/common/ids';
import type { PromptOutline, ResultOf } from '@zerd/protocol/common/methods';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { bytes } from '../present/cost-line.ts';
import { safeJson, sanitiseLine } from '../present/sanitise.ts';
import { table } from '../present/table.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';

export const contextCommand = defineCommand({
  name: 'context',
  usage: 'context',
  says: 'Shows what the model sees of a conversation: every block with its size, and what is left of old results',
  positionals: {},
  options: ['session', 'request', 'json'],
  examples: [
    ['zerd context', 'The next request of the newest session'],
    ['zerd context --session ses_... --request req_...', 'A past one, as `zerd watch --json` names it'],
    ['zerd context --json | jq -r .body', 'The body, byte for byte'],
  ],
  complaint: ({ session, request }) =>
    sessionComplaint(session) ??
    (request === undefined || request.startsWith('req_')
      ? undefined
      : `'${request}' is no request id: they begin with req_.`),
  async perform({ session, request, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { sessionId } = await pickSession(client, session);
      const read = await client.request('context/read', {
        sessionId,
        ...given({ requestId: request as RequestId | undefined }),
      });
      terminal.out(json === true ? `${safeJson({ sessionId, ...read })}\n` : contextText(sessionId, read));
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

type ContextRead = ResultOf<'context/read'>;

export function contextText(sessionId: string, { model, bytes: size, outline }: ContextRead): string {
  const head = `${sessionId} with ${sanitiseLine(model)}: ${bytes(size)} on the wire\n`;
  if (outline === undefined) return head;
  const { system, tools, messages } = outline;
  const inTools = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const rows = [
    ['system', '', bytes(system.bytes), '', system.about],
    ['tools', '', bytes(inTools), '', tools.map(({ name }) => name).join(' ')],
    ...messages.flatMap(({ role, blocks }) => blocks.map((block) => rowOf(role, block))),
  ];
  const body = table(
    columns,
    rows.map((row) => row.map(sanitiseLine)),
  );
  return `${head}${body}${legend(outline)}`;
}

const columns = ['BLOCK', 'CALL', 'SIZE', '', 'BEGINS WITH'];

type Block = PromptOutline['messages'][number]['blocks'][number];

const names: Readonly<Record<Block['kind'], string>> = {
  text: 'text',
  summary: 'summary',
  reasoning: 'reasoning',
  toolCall: 'call',
  toolResult: 'result',
};

function rowOf(
  role: 'user' | 'assistant',
  { kind, bytes: size, about, number, stub, marked }: Block,
): readonly string[] {
  const name = kind === 'text' ? `${role === 'user' ? 'user' : 'model'} text` : names[kind];
  const signs = [stub === true ? 'stub' : '', marked === true ? 'mark' : ''].filter((sign) => sign !== '');
  return [name, number === undefined ? '' : String(number), bytes(size), signs.join(' '), about];
}

function legend({ messages }: PromptOutline): string {
  const blocks = messages.flatMap((message) => message.blocks);
  const stubs = blocks.filter(({ stub }) => stub === true).length;
  const stubsSay = stubs === 0 ? '' : `stub: cut to its ends (${stubs}); the whole is in the archive. `;
  return `${stubsSay}mark: a cache entry is wished here.\n`;
}
