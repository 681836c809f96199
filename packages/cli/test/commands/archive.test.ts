import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Terminal } from '../../src/terminal.ts';
import { fakeDaemon, start } from '../fake-daemon.ts';

const id = '2cf24dba5fb0';
const noText = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0xe2, 0x82, 0xac, 0x1b]);

/** Gives three bytes at a time. */
function daemonWith(body: Buffer) {
  const daemon = fakeDaemon();
  daemon.on('archive/read', ({ offset }: { readonly offset: number }) => {
    const part = body.subarray(offset, offset + 3);
    return { text: '', base64: part.toString('base64'), offset, bytes: part.length, totalBytes: body.length };
  });
  return daemon;
}

async function outcome(args: readonly string[], body: Buffer, terminal: Partial<Terminal> = {}) {
  const daemon = daemonWith(body);
  const { screen, code } = start(['archive', ...args], daemon, terminal);
  return { code: await code, out: screen.out, err: screen.err, asked: daemon.requests.length };
}

test('into a pipe go all bytes as they are, in parts', async () => {
  expect(await outcome([id], noText)).toEqual({ code: 0, out: noText.toString('latin1'), err: '', asked: 3 });
  expect(await outcome([id], Buffer.alloc(0))).toEqual({ code: 0, out: '', err: '', asked: 1 });
});

test('into a file go all bytes as they are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-archive-'));
  try {
    const { code, out, err } = await outcome([id, '-o', 'body'], noText, { cwd: () => folder });
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: `Written to ${join(folder, 'body')}.\n` });
    expect(readFileSync(join(folder, 'body'))).toEqual(noText);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('in a terminal text is shown, characters whole and harmless, and what is no text is refused', async () => {
  const terminal = { outputIsTerminal: true };
  const shown = await outcome([id], Buffer.from('a€€\n\x1b[2Jb'), terminal);
  expect([shown.code, shown.out]).toEqual([0, 'a€€\n\\x1b[2Jb']);
  const message = `zerd: What is archived as ${id} is no text, and a terminal is no place for it. Write it into a file: zerd archive ${id} -o FILE`;
  for (const body of [noText, Buffer.from([0x61, 0xff])]) {
    const refused = await outcome([id], body, terminal);
    expect([refused.code, refused.out, refused.err.split('\n')[0]]).toEqual([1, '', message]);
  }
});

test.each([['x'], ['2cf24dba5fb'], ['ses_1']])('%s is refused as an id before anything is asked', async (wrong) => {
  const { code, err, asked } = await outcome([wrong], noText);
  const complaint = `zerd: '${wrong}' is no archive id: they are 12 to 64 digits of 0-9 and a-f.`;
  expect([code, err.split('\n')[0], asked]).toEqual([2, complaint, 0]);
});
