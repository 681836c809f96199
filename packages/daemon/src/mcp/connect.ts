/**
 * Connects to a server through the SDK's client. Loaded with the first connection alone. Invariants: the SDK keeps no time
 * of its own that counts, checks nothing with code made of a server's schemas, and offers a server nothing of this side.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { zerdVersion } from '@zerd/protocol/common/version';
import { z } from 'zod';
import type { Connect, Connection, ConnectWish } from './connection.ts';
import { httpTransport } from './http-transport.ts';
import { stdioTransport } from './stdio-transport.ts';

/** Deadlines are kept on the injected clock; what a timer takes at most. */
const noLimit = 2 ** 31 - 1;
/** A server that never comes to an end of its list is left there. */
const mostPages = 100;
const mostListCharacters = 64 * 1024 * 1024;

const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export const connect: Connect = async (wish) => {
  const { transport, lastWords } = await openTransport(wish);
  wish.onOpen(lastWords);
  const client = new Client({ name: 'zerd', version: zerdVersion }, { jsonSchemaValidator: noValidator });
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => {
      delete client.onclose;
      resolve(lastWords());
      // It may have left something behind.
      void transport.close();
    };
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => wish.onToolsChanged());
  const giveUp = () => void transport.close();
  wish.signal.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect(transport, { timeout: noLimit, signal: wish.signal });
  } catch (error) {
    const died = lastWords();
    await transport.close();
    throw died === '' ? error : new Error(died, { cause: error });
  } finally {
    wish.signal.removeEventListener('abort', giveUp);
  }
  return connectionOf(client, ended, () => transport.close());
};

async function openTransport({ name, prepared, root, clock, network, children }: ConnectWish) {
  if (prepared.kind === 'http') return httpTransport(prepared.entry, network);
  const { program, entry, env } = prepared;
  const child = await children.start({ name, program, command: entry.command, args: entry.args, env, cwd: root });
  const transport = stdioTransport(child, clock);
  return { transport, lastWords: () => transport.lastWords() };
}

function connectionOf(client: Client, ended: Promise<string>, close: () => Promise<void>): Connection {
  return {
    instructions: client.getInstructions(),
    ended,
    async listTools(signal) {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const tools: unknown[] = [];
      let cursor: string | undefined;
      let characters = 0;
      for (let page = 0; page < mostPages; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const found = await client.request({ method: 'tools/list', params }, pageSchema, { timeout: noLimit, signal });
        characters += JSON.stringify(found).length;
        if (characters > mostListCharacters) throw new Error('the list is longer than 64 MiB');
        for (const tool of found.tools) tools.push(tool);
        if (found.nextCursor === undefined || found.nextCursor === cursor) break;
        cursor = found.nextCursor;
      }
      return tools;
    },
    callTool({ name, arguments: given, signal, onProgress }) {
      const request = { method: 'tools/call' as const, params: { name, arguments: given } };
      const onprogress = ({ progress, total, message }: Progress) =>
        onProgress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`));
      return client.request(request, CallToolResultSchema, { timeout: noLimit, signal, onprogress });
    },
    close,
  };
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Results are taken as they come: the SDK's own would compile a server's schemas to code. */
const noValidator: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (input) => ({ valid: true, data: input as T, errorMessage: undefined }),
};
