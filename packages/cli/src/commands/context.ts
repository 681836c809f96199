/** `zerd context`: what the model sees of a session, now or at a past request, block by block. */
import type { RequestId } from '@zerd/protocol/common/ids';
import type { PromptOutline, ResultOf } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { bytes, thousands } from '../present/cost-line.ts';
import { table } from '../present/table.ts';
import { windowBars } from '../present/window-bars.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';

export const contextCommand = defineCommand({
  name: 'context',
  usage: 'context [of]',
  says: 'Shows what fills the window of a conversation: every block with its size, and what is left of old results',
  positionals: { of: { type: 'string', describe: 'A session (ses_...); default: the newest' } },
  options: ['session', 'at', 'request', 'raw', 'json'],
  words: { at: 'A request by its id (req_...); default: the next one', session: 'The same as the word' },
  examples: [
    ['zerd context', 'The next request of the newest session'],
    ['zerd context ses_... --at req_...', 'A past one, as `zerd cost` names it'],
    ['zerd context --raw', 'The body, byte for byte'],
  ],
  complaint: ({ of, session, at, request }) => {
    if (of !== undefined && session !== undefined) return 'Name the session once.';
    if (at !== undefined && request !== undefined) return 'Use one of --at and --request: they are the same.';
    return sessionComplaint(of ?? session) ?? requestComplaint(at ?? request);
  },
  async perform({ of, session, at, request, raw, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { sessionId } = await pickSession(client, of ?? session);
      const requestId = (at ?? request) as RequestId | undefined;
      const read = await client.request('context/read', { sessionId, ...given({ requestId }) });
      if (raw === true) terminal.out(rawBody(read.body, terminal.outputIsTerminal));
      else terminal.out(json === true ? `${safeJson({ sessionId, ...read })}\n` : contextText(sessionId, read));
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

function requestComplaint(request: string | undefined): string | undefined {
  return request === undefined || request.startsWith('req_')
    ? undefined
    : `'${request}' is no request id: they begin with req_.`;
}

/** For a terminal what could steer it is escaped, as JSON allows: the same value. */
function rawBody(body: string, forTerminal: boolean): string {
  return forTerminal ? `${safeJson(JSON.parse(body))}\n` : body;
}

type ContextRead = ResultOf<'context/read'>;

export function contextText(sessionId: string, read: ContextRead): string {
  const { model, bytes: size, outline } = read;
  const head = `${sessionId} with ${sanitiseLine(model)}: ${bytes(size)} on the wire${tokensText(read)}\n`;
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
  return `${head}${windowBars(outline)}\n${body}${legend(outline)}`;
}

function tokensText({ tokens, contextWindow }: ContextRead): string {
  if (tokens === undefined) return '';
  const of = contextWindow === undefined ? '' : ` of a window of ${thousands(contextWindow)}`;
  return `, ${thousands(tokens)} tokens${of}`;
}

const columns = ['BLOCK', 'CALL', 'SIZE', '', 'BEGINS WITH'];

type Block = PromptOutline['messages'][number]['blocks'][number];

const names: Readonly<Record<Block['kind'], string>> = {
  text: 'text',
  image: 'image',
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
