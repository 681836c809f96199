/** `zerd export`: a session as text, for people or for programs. Written page by page, however long it is. */
import { resolve } from 'node:path';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { pickSession } from '../session/pick-session.ts';
import { salvagePages } from '../session/salvage.ts';
import { sessionComplaint } from '../session/session-id.ts';
import { writePages } from '../session/write-pages.ts';

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
