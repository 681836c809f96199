/** `zerd archive`: an archived body, byte for byte into a file or a pipe; in a terminal only what is text, safe to draw. */
import { resolve } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { sanitise } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { writePages } from '../session/write-pages.ts';
import type { Terminal } from '../terminal.ts';

export const archiveCommand = defineCommand({
  name: 'archive',
  usage: 'archive <id>',
  says: 'Writes what is archived under an id: a whole output, or what a file held',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'As it is named where something was left out or replaced' },
  },
  options: ['output'],
  examples: [
    ['zerd archive 2cf24dba5fb0 | less', 'To read it'],
    ['zerd archive 2cf24dba5fb0 -o logo.png', 'Into a file, byte for byte'],
  ],
  complaint: ({ id }) =>
    /^[0-9a-f]{12,64}$/.test(id) ? undefined : `'${id}' is no archive id: they are 12 to 64 digits of 0-9 and a-f.`,
  async perform({ id, output }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const parts = partsOf(client, id as ArchiveId);
      if (output !== undefined) terminal.err(`${await writePages(parts, resolve(terminal.cwd(), output))}\n`);
      else if (terminal.outputIsTerminal) await show(parts, id, terminal);
      else for await (const part of whileRead(parts, terminal)) terminal.out(part);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

async function* partsOf(client: ZerdClient, archiveId: ArchiveId): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const {
      base64 = '',
      bytes,
      totalBytes,
    } = await client.request('archive/read', { archiveId, offset, as: 'base64' });
    yield Buffer.from(base64, 'base64');
    offset += bytes;
    if (offset >= totalBytes || bytes === 0) return;
  }
}

async function* whileRead<T>(parts: AsyncIterable<T>, { outputGone }: Terminal): AsyncGenerator<T> {
  for await (const part of parts) {
    if (outputGone.aborted) return;
    yield part;
  }
}

async function show(parts: AsyncIterable<Uint8Array>, id: string, terminal: Terminal): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const part of whileRead(parts, terminal)) {
    if (part.includes(0)) throw noText(id);
    try {
      terminal.out(sanitise(decoder.decode(part, { stream: true })));
    } catch {
      throw noText(id);
    }
  }
}

function noText(id: string): ZerdError {
  return new ZerdError(
    'invalid_params',
    `What is archived as ${id} is no text, and a terminal is no place for it. Write it into a file: zerd archive ${id} -o FILE`,
  );
}
