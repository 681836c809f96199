/** `zerd export`: a session as text, for people or for programs. Written page by page, however long it is. */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { pickSession } from '../session/pick-session.ts';
import { salvagePages } from '../session/salvage.ts';
import { sessionComplaint } from '../session/session-id.ts';

export const exportCommand = defineCommand({
  name: 'export',
  usage: 'export [session]',
  says: 'Writes a session as text: Markdown to read, or JSON, an event a line',
  positionals: { session: { type: 'string', describe: 'A session (ses_...); default: the newest' } },
  options: ['format', 'output'],
  examples: [
    ['zerd export', 'The newest session as Markdown'],
    ['zerd export ses_... -o session.md', 'Into a file'],
    ['zerd export --format json | jq -r \'select(.event.kind == "message.submitted").event.text\'', 'What was asked'],
  ],
  complaint: ({ session }) => sessionComplaint(session),
  async perform({ session, format, output }, { terminal, connect }) {
    const wish = { session, format: format ?? 'md' };
    const pages = pagesOf(connect, wish, terminal);
    if (output === undefined) await print(pages, terminal);
    else terminal.err(`${await writePages(pages, resolve(terminal.cwd(), output))}\n`);
    return exitCode.done;
  },
});

interface Wish {
  readonly session: string | undefined;
  readonly format: 'md' | 'json';
}

/** By the daemon; where that fails before the first page, out of the database as far as that can be read. */
async function* pagesOf(
  connect: Context['connect'],
  wish: Wish,
  terminal: Context['terminal'],
): AsyncGenerator<string> {
  let begun = false;
  try {
    const client = await connect('daemon');
    try {
      const { sessionId } = await pickSession(client, wish.session);
      for await (const page of exportPages(client, sessionId, wish.format)) {
        begun = true;
        yield page;
      }
    } finally {
      client.close();
    }
  } catch (failure) {
    if (begun) throw failure;
    yield* salvagePages(failure, wish, terminal);
  }
}

async function* exportPages(client: ZerdClient, sessionId: SessionId, format: Wish['format']): AsyncGenerator<string> {
  let after: number | undefined;
  do {
    const { text, next } = await client.request('session/export', { sessionId, format, ...given({ after }) });
    yield text;
    after = next;
  } while (after !== undefined);
}

async function print(pages: AsyncIterable<string>, terminal: Context['terminal']): Promise<void> {
  for await (const page of pages) {
    if (terminal.outputGone.aborted) return;
    terminal.out(page);
  }
}

/** Settles with what to say of it. */
async function writePages(pages: AsyncIterable<string>, file: string): Promise<string> {
  const handle = await open(file, 'w').catch((error: unknown) => {
    throw notWritten(file, error);
  });
  try {
    for await (const page of pages) {
      await handle.writeFile(page).catch((error: unknown) => {
        throw notWritten(file, error);
      });
    }
  } finally {
    await handle.close();
  }
  return `Written to ${file}.`;
}

function notWritten(file: string, error: unknown): ZerdError {
  const code = String((error as { readonly code?: unknown }).code);
  return new ZerdError('invalid_params', `${file} cannot be written (${code}). The session is as it was.`);
}
