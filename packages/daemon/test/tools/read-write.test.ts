import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { hashOf } from '@zerd/daemon/files/load-file';
import { makeWorkspace, textOf, type Workspace } from './workspace.ts';

let space: Workspace;
beforeEach(() => {
  space = makeWorkspace();
});
afterEach(() => space.remove());

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('');
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

test('no link leads a write or an edit into git’s own folder unnamed', async () => {
  space.put('.git/config', 'a\n');
  symlinkSync('.git', join(space.root, 'docs'));
  const refused = {
    outcome: 'failed',
    text: 'docs/config leads by a link to .git/config. Nothing was done; name what belongs to git by that path.',
  };
  const brief = ({ outcome, ...rest }: Awaited<ReturnType<typeof space.write>>) => ({
    outcome,
    text: textOf({ outcome, ...rest }),
  });
  expect(brief(await space.write({ path: 'docs/config', content: 'b\n' }))).toEqual(refused);
  expect(brief(await space.edit({ path: 'docs/config', old: 'a', new: 'b' }))).toEqual(refused);
  expect(textOf(await space.read({ path: 'docs/config' }))).toBe('a\n');
  expect((await space.edit({ path: '.git/config', old: 'a', new: 'b' })).outcome).toBe('ok');
});

test('a whole plain file is its text alone, with the hash of its bytes', async () => {
  space.put('src/a.ts', ten);
  const bytes = Buffer.from(ten);
  const hash = hashOf(bytes);
  const rows = ten.trimEnd().split('\n');
  expect(await space.read({ path: 'src/a.ts' })).toEqual({
    outcome: 'ok',
    body: { kind: 'text', text: ten },
    files: [{ path: 'src/a.ts', hash, how: 'read' }],
    view: { path: 'src/a.ts', hash, lines: 10, first: 1, rows, content: { hash, bytes, text: ten } },
  });
});

test.each<[string, string | Buffer, { offset?: number; limit?: number }, string, string | undefined]>([
  ['a range', ten, { offset: 3, limit: 2 }, 'line 3\nline 4\n', 'f lines 3-4 of 10'],
  ['from a line on', ten, { offset: 9 }, 'line 9\nline 10\n', 'f lines 9-10 of 10'],
  ['the first lines', ten, { limit: 1 }, 'line 1\n', 'f lines 1-1 of 10'],
  ['more lines than there are', ten, { limit: 99 }, ten, undefined],
  ['no final newline', 'a\nb', { offset: 2 }, 'b', 'f lines 2-2 of 2'],
  ['an empty file', '', {}, '', 'f is empty'],
  ['CRLF', 'a\r\nb\r\n', {}, 'a\nb\n', 'f (CRLF)'],
  ['CRLF in part', 'a\r\nb\r\n', { limit: 1 }, 'a\n', 'f lines 1-1 of 2 (CRLF)'],
  ['mixed endings', 'a\r\nb\nc\rd\n', {}, 'a\nb\nc\rd\n', 'f (mixed line endings: 1 CRLF, 2 LF)'],
  ['a mark', '\uFEFFé\n', {}, 'é\n', undefined],
  ['UTF-16', utf16('é\n'), {}, 'é\n', 'f (UTF-16LE)'],
  [
    'Latin-1',
    Buffer.from('caf\xe9\n', 'latin1'),
    {},
    'café\n',
    'f (not UTF-8, encoding unknown: only its ASCII is sure)',
  ],
  ['half a surrogate pair', utf16('\ud83d!'), {}, '\uFFFD!', 'f (UTF-16LE)'],
])('a read shows the lines asked for and says what is not plain: %s', async (_name, content, range, text, head) => {
  space.put('f', content);
  const answer = await space.read({ path: 'f', ...range });
  expect([answer.outcome, textOf(answer), answer.head]).toEqual(['ok', text, head]);
});

test.each([
  [ten, 11, 'f has 10 lines; offset 11 is past its end.'],
  ['', 2, 'f has 0 lines; offset 2 is past its end.'],
])('an offset past the end says how many lines there are', async (content, offset, message) => {
  space.put('f', content);
  const answer = await space.read({ path: 'f', offset });
  expect([answer.outcome, textOf(answer), answer.files]).toEqual(['failed', message, undefined]);
});

test.each<[string, string | Buffer, string]>([
  [
    'the beginning of an image',
    Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'),
    'f is broken: it begins as a PNG image, and not all of one is there. Make it again.',
  ],
  ['a document', '%PDF-1.7\0', 'f is no text but a PDF document, 9 bytes. Only text can be read.'],
  ['a NUL', 'a\0b', 'f is no text but binary data, 3 bytes. Only text can be read.'],
])('a binary file is named, never shown: %s', async (_name, content, message) => {
  space.put('f', content);
  const answer = await space.read({ path: 'f' });
  expect([answer.outcome, textOf(answer), answer.files]).toEqual(['failed', message, undefined]);
});

test('a missing file, a pipe, a socket and a device are told apart and never opened', async () => {
  execFileSync('mkfifo', [join(space.root, 'pipe')]);
  const server = createServer().listen(join(space.root, 'sock'));
  await new Promise((resolve) => server.once('listening', resolve));
  const messages = async (path: string) => textOf(await space.read({ path }));
  expect(await messages('none.ts')).toBe('none.ts does not exist. Use find to look for it.');
  expect(await messages('pipe')).toBe('pipe is a named pipe, not a file. It was not opened.');
  expect(await messages('sock')).toBe('sock is a socket, not a file. It was not opened.');
  expect(textOf(await space.write({ path: 'pipe', content: '' }))).toBe(
    'pipe is a named pipe, not a file. It was not opened. It was not written.',
  );
  await new Promise((resolve) => server.close(resolve));
});

test('a folder is listed, folders and links marked, many names in part', async () => {
  space.put('src/b/x', '');
  space.put('src/a\nb', '');
  space.put('src/a', '');
  symlinkSync('a', join(space.root, 'src/link'));
  expect(await space.read({ path: 'src' })).toEqual({
    outcome: 'ok',
    body: { kind: 'text', text: '"a\\nb"\na\nb/\nlink@\n' },
    head: 'src/ is a folder: 4 entries',
  });
  for (let i = 0; i < 205; i += 1) space.put(`many/${String(i).padStart(3, '0')}`, '');
  const answer = await space.read({ path: 'many' });
  expect([answer.head, textOf(answer).split('\n').length]).toEqual([
    'many/ is a folder: 205 entries, 5 more than shown; use find',
    201,
  ]);
  expect((await space.read({ path: '.' })).head).toBe('the workspace is a folder: 2 entries');
});

test('S-51 S-31 nothing outside is read, whatever the way', async () => {
  symlinkSync('/etc/passwd', join(space.root, 'out'));
  symlinkSync('/', join(space.root, 'slash'));
  for (const path of [
    'out',
    'slash/etc/passwd',
    '/etc/passwd',
    '../../../etc/passwd',
    '/proc/self/root/etc/passwd',
    '/',
    '~',
    'slash',
  ]) {
    const answer = await space.read({ path });
    expect([path, answer.outcome, textOf(answer).includes('root:')]).toEqual([path, 'failed', false]);
  }
});

test('P116 one read gives 1 MiB at most, whole lines, and says how to go on', async () => {
  const line = `<p>${'x'.repeat(996)}\n`;
  space.put('page.html', line.repeat(1_700));
  const answer = await space.read({ path: 'page.html' });
  expect(textOf(answer)).toBe(line.repeat(1_048));
  expect(answer.head).toBe('page.html lines 1-1048 of 1700 (1 MiB at most; go on with offset 1049)');
  expect((await space.read({ path: 'page.html', offset: 1_049 })).head).toBe('page.html lines 1049-1700 of 1700');
});

test('P116 a line longer than a read gives is cut inside, never inside a character', async () => {
  space.put('page.html', `<p>\n<img src="data:${'é'.repeat(900_000)}">\n</p>\n`);
  const answer = await space.read({ path: 'page.html', offset: 2 });
  expect([Buffer.byteLength(textOf(answer)), textOf(answer).endsWith('é')]).toEqual([1024 * 1024 - 1, true]);
  expect(answer.head).toBe(
    'page.html lines 2-2 of 3 (only the first 1 MiB of line 2, which is longer; use search or a command in the shell for the rest)',
  );
});

/** `size` bytes of `piece`, again and again. */
function fill(file: string, piece: Buffer, size: number): void {
  const fd = openSync(file, 'w');
  for (let written = 0; written < size; ) written += writeSync(fd, piece, 0, Math.min(piece.length, size - written));
  closeSync(fd);
}

test('P116 of a file of one huge line a piece is read, not the whole', async () => {
  fill(join(space.root, 'huge'), Buffer.alloc(1024 * 1024, 'é'), 200 * 1024 * 1024);
  const before = process.memoryUsage().arrayBuffers;
  const answer = await space.read({ path: 'huge' });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  expect([answer.outcome, textOf(answer).length, answer.files]).toEqual(['ok', 512 * 1024, undefined]);
  expect(answer.head).toBe(
    'huge lines 1-1 (209,715,200 bytes in all, its lines are not counted; only the first 1 MiB of line 1, which is longer; use search or a command in the shell for the rest)',
  );
  const edited = await space.edit({ path: 'huge', old: 'a', new: 'b' });
  const written = await space.write({ path: 'huge', content: '' });
  for (const refused of [edited, written]) {
    expect(textOf(refused)).toMatch(
      /^huge is too large to load whole: 209,715,200 bytes, the limit is 67,108,864 bytes\./,
    );
  }
});

test('P116 of a file of many lines that is too large to load, the lines asked for are read', async () => {
  const line = `${'0123456789'.repeat(9)}\n`;
  const size = 65 * 1024 * 1024;
  fill(join(space.root, 'log'), Buffer.from(line.repeat(1_000)), size);
  const middle = await space.read({ path: 'log', offset: 500_000, limit: 2 });
  expect([textOf(middle), middle.head]).toEqual([
    line.repeat(2),
    'log lines 500000-500001 (68,157,440 bytes in all, its lines are not counted; go on with offset 500002)',
  ]);
  const lines = Math.ceil(size / line.length);
  const end = await space.read({ path: 'log', offset: lines });
  expect([textOf(end), end.head]).toEqual([
    line.slice(0, size % line.length),
    `log lines ${lines}-${lines} (68,157,440 bytes in all, its lines are not counted; its end)`,
  ]);
  expect(textOf(await space.read({ path: 'log', offset: lines + 1 }))).toBe(`log has fewer than ${lines + 1} lines.`);
  const first = await space.read({ path: 'log' });
  expect(textOf(first)).toBe(line.repeat(Math.floor((1024 * 1024) / line.length)));
});

test('an interrupted read says so', async () => {
  const stop = new AbortController();
  stop.abort();
  const stopped = makeWorkspace({ signal: stop.signal });
  stopped.put('a', 'x');
  expect(await stopped.read({ path: 'a' })).toEqual({
    outcome: 'interrupted',
    body: { kind: 'text', text: 'a: interrupted.' },
  });
  expect((await stopped.write({ path: 'b', content: '' })).outcome).toBe('interrupted');
  expect(existsSync(join(stopped.root, 'b'))).toBe(false);
  stopped.remove();
});

test('a new file is created with its folders', async () => {
  expect(await space.write({ path: 'src/new/a.ts', content: 'a\nb\n' })).toEqual({
    outcome: 'ok',
    body: { kind: 'text', text: 'src/new/a.ts created: 2 lines.' },
    files: [
      { path: 'src/new/a.ts', hash: hashOf(Buffer.from('a\nb\n')), how: 'written', before: null, madeFolders: 2 },
    ],
    diff: '--- /dev/null\n+++ b/src/new/a.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n',
  });
  expect(space.text('src/new/a.ts')).toBe('a\nb\n');
});

test('F-44 a file that the model never saw, or that changed since, is not replaced', async () => {
  space.put('a', 'theirs');
  const blind = await space.write({ path: 'a', content: 'mine' });
  expect([blind.outcome, textOf(blind)]).toEqual([
    'failed',
    'a was not written: it exists and you have not read it. Read it first, or use edit.',
  ]);
  await space.read({ path: 'a' });
  space.put('a', 'theirs, newer');
  const stale = await space.write({ path: 'a', content: 'mine' });
  expect([stale.outcome, textOf(stale), space.text('a')]).toEqual([
    'failed',
    'a was not written: it has changed since you last saw it. Read it again, then write.',
    'theirs, newer',
  ]);
  await space.read({ path: 'a' });
  expect(textOf(await space.write({ path: 'a', content: 'mine' }))).toBe('a replaced: +1 -1.');
});

test('P030 a write after a write or an edit needs no read between', async () => {
  await space.write({ path: 'a', content: 'one' });
  await space.write({ path: 'a', content: 'two' });
  await space.edit({ path: 'a', old: 'two', new: 'three' });
  expect(textOf(await space.write({ path: 'a', content: 'four' }))).toBe('a replaced: +1 -1.');
});

test('what is there already, or is empty, may be written unseen', async () => {
  const file = space.put('a', 'same');
  const { ino } = statSync(file);
  expect(textOf(await space.write({ path: 'a', content: 'same' }))).toBe('a holds exactly this already.');
  expect(statSync(file).ino).toBe(ino);
  space.put('empty', '');
  expect(textOf(await space.write({ path: 'empty', content: 'x\n' }))).toBe('empty replaced: +1 -0.');
});

test.each<[string, Buffer, string, Buffer]>([
  ['P044 a mark', Buffer.from('\uFEFFé\n'), 'è\n', Buffer.from('\uFEFFè\n')],
  ['P044 a mark that is given again', Buffer.from('\uFEFFé\n'), '\uFEFFè\n', Buffer.from('\uFEFFè\n')],
  ['UTF-16', utf16('a\r\nb\r\n'), 'x\ny\n', utf16('x\r\ny\r\n')],
  ['P040 CRLF on every line', Buffer.from('a\r\nb\r\n'), 'x\ny\nz', Buffer.from('x\r\ny\r\nz')],
  ['mixed endings are taken as given', Buffer.from('a\r\nb\n'), 'x\ny\n', Buffer.from('x\ny\n')],
  ['P046 ASCII for an unknown encoding', Buffer.from('caf\xe9\n', 'latin1'), 'cafe\n', Buffer.from('cafe\n')],
])('F-45 a replaced file keeps its kind: %s', async (_name, before, content, after) => {
  chmodSync(space.put('f', before), 0o750);
  await space.read({ path: 'f' });
  expect((await space.write({ path: 'f', content })).outcome).toBe('ok');
  expect([space.bytes('f'), statSync(join(space.root, 'f')).mode & 0o777]).toEqual([after, 0o750]);
});

test('P042 P046 a file of unknown encoding is not replaced by anything but ASCII, as with edit', async () => {
  const before = Buffer.from('caf\xe9\n', 'latin1');
  space.put('f', before);
  await space.read({ path: 'f' });
  const answer = await space.write({ path: 'f', content: 'café\n' });
  expect([answer.outcome, textOf(answer), space.bytes('f')]).toEqual([
    'failed',
    'f was not written: it is not UTF-8 and its encoding is unknown, so only ASCII can be written. Convert it first (iconv).',
    before,
  ]);
});

test('P050 P052 a write keeps the link and both names', async () => {
  linkSync(space.put('real', 'old'), join(space.root, 'other'));
  symlinkSync('real', join(space.root, 'link'));
  await space.read({ path: 'link' });
  expect(textOf(await space.write({ path: 'link', content: 'new' }))).toMatch(
    /^real replaced: \+1 -1\. Written in place because/,
  );
  expect([space.text('other'), space.text('link')]).toEqual(['new', 'new']);
});

test.each<[string, string, RegExp]>([
  ['a folder', 'src', /src is a folder, not a file\. Nothing was written; name a file in it\./],
  ['a path that names a folder', 'none/', /none\/ names a folder/],
  ['below a file', 'src/a/b', /is a file, not a folder/],
  ['binary', 'bin', /bin is no text but binary data, 2 bytes\. It was not written\./],
  ['half of a surrogate pair', 'half', /half of a surrogate pair/],
])('what cannot be written says why: %s', async (name, path, why) => {
  space.put('src/a', '');
  space.put('bin', '\0\x01');
  const answer = await space.write({ path, content: name.startsWith('half') ? '\ud83d' : 'x' });
  expect([answer.outcome, textOf(answer)]).toEqual(['failed', expect.stringMatching(why)]);
  rmSync(space.root, { recursive: true });
});

test('P130: a notebook is read as its cells, its outputs and images named with their size', async () => {
  const image = 'iVBORw0KGgo'.repeat(4_000);
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      { cell_type: 'markdown', metadata: {}, source: ['# Title\n', 'Text'] },
      {
        cell_type: 'code',
        execution_count: 1,
        metadata: {},
        source: 'x = 1\nplot(x)',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: Array.from({ length: 500 }, (_, i) => `row ${i}\n`) },
          { output_type: 'display_data', data: { 'image/png': image, 'text/plain': '<Figure>' }, metadata: {} },
          { output_type: 'execute_result', data: { 'text/html': '<b>1</b>', 'text/plain': ['1'] }, metadata: {} },
          { output_type: 'error', ename: 'ValueError', evalue: 'bad x', traceback: ['...'] },
        ],
      },
      { cell_type: 'code', metadata: {}, source: [], outputs: [] },
    ],
  };
  const json = JSON.stringify(notebook, undefined, 1);
  space.put('n.ipynb', json);
  const result = await space.read({ path: 'n.ipynb' });
  expect(result.head).toBe(
    `n.ipynb (a notebook as its 3 cells; edit works on its JSON of ${json.length.toLocaleString('en-US')} bytes, which search and the shell show)`,
  );
  expect(textOf(result)).toBe(
    [
      '--- cell 1: markdown',
      '# Title',
      'Text',
      '--- cell 2: code',
      'x = 1',
      'plot(x)',
      '[output: stdout, 3,890 bytes: row 0 ...]',
      '[output: image/png, 33,000 bytes]',
      '[output: text, 1 bytes: 1]',
      '[output: ValueError: bad x]',
      '--- cell 3: code',
      '',
    ].join('\n'),
  );
  const edited = await space.edit({ path: 'n.ipynb', old: '"x = 1\\nplot(x)"', new: '"x = 2\\nplot(x)"' });
  expect(edited.outcome).toBe('ok');
  expect(space.text('n.ipynb')).toBe(json.replace('x = 1', 'x = 2'));
  expect(edited.edited).toBeUndefined();
  space.put('broken.ipynb', '{"cells": [');
  expect(textOf(await space.read({ path: 'broken.ipynb' }))).toBe('{"cells": [');
});
