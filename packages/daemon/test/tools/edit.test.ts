import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { hashOf } from '@zerd/daemon/files/load-file';
import fc from 'fast-check';
import { makeWorkspace, textOf, type Workspace } from './workspace.ts';

let space: Workspace;
beforeEach(() => {
  space = makeWorkspace();
});
afterEach(() => space.remove());

const buffer = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

test('an edit answers in one line, tells what it left and keeps the diff for people', async () => {
  space.put('src/a.ts', 'one\ntwo\nthree\n');
  const content = (text: string) => ({ hash: hashOf(Buffer.from(text)), bytes: Buffer.from(text), text });
  expect(await space.edit({ path: 'src/a.ts', old: 'two', new: 'zwei\n2' })).toEqual({
    outcome: 'ok',
    body: { kind: 'text', text: 'src/a.ts edited (lines 2-3): +2 -1.' },
    files: [
      {
        path: 'src/a.ts',
        hash: hashOf(Buffer.from('one\nzwei\n2\nthree\n')),
        how: 'written',
        before: hashOf(Buffer.from('one\ntwo\nthree\n')),
      },
    ],
    diff: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+2\n three\n',
    edited: { before: content('one\ntwo\nthree\n'), after: content('one\nzwei\n2\nthree\n') },
  });
  expect(space.text('src/a.ts')).toBe('one\nzwei\n2\nthree\n');
});

test('P030 an edit after an edit warns of nothing', async () => {
  space.put('a', 'one two');
  await space.read({ path: 'a' });
  await space.edit({ path: 'a', old: 'one', new: '1' });
  expect(textOf(await space.edit({ path: 'a', old: 'two', new: '2' }))).toBe('a edited (line 1): +1 -1.');
  expect(space.text('a')).toBe('1 2');
});

test('P032 F-44 a file that changed is edited where the old text is there once, and the difference is told', async () => {
  space.put('a', 'one\ntwo\nthree\nfour\n');
  await space.read({ path: 'a' });
  space.put('a', 'one\nTWO\nplus\nthree\nfour\n');
  expect(textOf(await space.edit({ path: 'a', old: 'four', new: '4' }))).toBe(
    'a edited (line 5): +1 -1. It had changed since you last saw it (before this edit: +2 -1 between lines 2 and 3).',
  );
  space.put('a', 'one\nTWO\nplus\nthree\n4\nfive\n');
  expect(textOf(await space.edit({ path: 'a', old: 'three', new: '3' }))).toBe(
    'a edited (line 4): +1 -1. It had changed since you last saw it; the old text was still there exactly once.',
  );
  expect(space.text('a')).toBe('one\nTWO\nplus\n3\n4\nfive\n');
});

test.each([
  ['changed since', true, 'it has changed since you last saw it'],
  ['not read', false, 'you have not read it'],
])('F-44 several places of a file that was %s are not edited blindly', async (_name, seen, why) => {
  space.put('a', 'x\n');
  if (seen) await space.read({ path: 'a' });
  space.put('a', 'x\nx\n');
  const answer = await space.edit({ path: 'a', old: 'x', new: 'y', all: true });
  expect([answer.outcome, textOf(answer)]).toEqual([
    'failed',
    `a was not changed: ${why}, and \`old\` matches 2 times. Read it, then edit again.`,
  ]);
  await space.read({ path: 'a' });
  expect(textOf(await space.edit({ path: 'a', old: 'x', new: 'y', all: true }))).toBe(
    'a edited (2 matches, lines 1-2): +2 -2.',
  );
});

test('F-44 a file that changes between plan and rename is left to whoever changed it', async () => {
  const racing = makeWorkspace({
    seen: () => {
      racing.put('a', 'theirs, with old');
      return undefined;
    },
  });
  racing.put('a', 'old');
  const answer = await racing.edit({ path: 'a', old: 'old', new: 'new' });
  expect([answer.outcome, racing.text('a'), answer.files]).toEqual(['failed', 'theirs, with old', undefined]);
  expect(textOf(answer)).toBe(
    'a was changed by somebody else at this very moment. Nothing was written. Read it again.',
  );
  racing.remove();
});

test('F-44 edits of one file at the same time all land', async () => {
  const names = Array.from({ length: 8 }, (_, i) => `<${i}>`);
  space.put('a', names.join('\n'));
  await Promise.all(names.map((name, i) => space.edit({ path: 'a', old: name, new: `done ${i}` })));
  expect(space.text('a')).toBe(names.map((_, i) => `done ${i}`).join('\n'));
});

test('P034 a second edit that is based on text from before the first fails and shows the present lines', async () => {
  space.put('a.ts', 'function head(x) {\n  return x + 1;\n}\n\nfunction tail(x) {\n  return x + 2;\n}\n');
  await space.read({ path: 'a.ts' });
  const first = 'function tail(x) {\n  return x + 2;\n}';
  await space.edit({ path: 'a.ts', old: first, new: first.replaceAll('x', 'y') });
  const before = space.text('a.ts');
  const answer = await space.edit({ path: 'a.ts', old: first, new: '' });
  expect([answer.outcome, textOf(answer)]).toEqual([
    'failed',
    'a.ts was not changed: `old` is not in it. The nearest lines as they are now, 5-7:\n5\tfunction tail(y) {\n6\t  return y + 2;\n7\t}',
  ]);
  expect(space.text('a.ts')).toBe(before);
});

test('P036 overlapping matches are ambiguous', async () => {
  space.put('a', 'same\nsame\nsame\n');
  const answer = await space.edit({ path: 'a', old: 'same\nsame\n', new: 'one\n' });
  expect([answer.outcome, textOf(answer)]).toEqual([
    'failed',
    'a was not changed: `old` matches 2 times (lines 1, 2). Add lines around it until it matches once, or use `all`.',
  ]);
});

test.each<[string, Buffer, string, string, Buffer]>([
  [
    'P038 mixed endings and returns that are data',
    buffer('a\r\nb\nc\rd\r\nword\n'),
    'word',
    'term',
    buffer('a\r\nb\nc\rd\r\nterm\n'),
  ],
  ['P040 CRLF', buffer('a\r\nb\r\nc\r\n'), 'a\nb\n', 'a\nx\ny\n', buffer('a\r\nx\r\ny\r\nc\r\n')],
  [
    'P042 one Latin-1 byte',
    buffer('caf', [0xe9], '\nname = 1\n'),
    'name = 1',
    'name = 2',
    buffer('caf', [0xe9], '\nname = 2\n'),
  ],
  ['P042 UTF-8 beside a broken byte', buffer('é\n', [0xff], '\n'), 'é', 'è', buffer('è\n', [0xff], '\n')],
  ['P044 BOM and accents', buffer([0xef, 0xbb, 0xbf], 'é = 1\n'), '1', '2', buffer([0xef, 0xbb, 0xbf], 'é = 2\n')],
  [
    'P046 GB18030',
    buffer([0xc4, 0xe3, 0xba, 0xc3], ' x = 1\n'),
    'x = 1',
    'x = 2',
    buffer([0xc4, 0xe3, 0xba, 0xc3], ' x = 2\n'),
  ],
  [
    'F-45 UTF-16LE',
    Buffer.from('\uFEFFé\r\nb\r\n', 'utf16le'),
    'é\nb',
    'è\nB',
    Buffer.from('\uFEFFè\r\nB\r\n', 'utf16le'),
  ],
  [
    'F-45 UTF-16BE',
    Buffer.from('\uFEFFab\ud83d', 'utf16le').swap16(),
    'a',
    '漢',
    Buffer.from('\uFEFF漢b\ud83d', 'utf16le').swap16(),
  ],
  ['F-45 no final newline', buffer('a\nb'), 'a', 'A', buffer('A\nb')],
])('bytes outside the edit stay: %s', async (_name, before, old, next, after) => {
  space.put('f', before);
  expect((await space.edit({ path: 'f', old, new: next })).outcome).toBe('ok');
  expect(space.bytes('f')).toEqual(after);
});

test.each<[string, Buffer, string, string, RegExp]>([
  [
    'P042 other than ASCII into an unknown encoding',
    buffer('caf', [0xe9], ' x'),
    'x',
    'é',
    /only ASCII can be written/,
  ],
  ['P046 the second byte of a character', buffer([0x81, 0x61], 'bc'), 'abc', 'x', /middle of a character/],
  ['a NUL', buffer('a', [0], 'b'), 'a', 'b', /is no text but binary data, 3 bytes\. It was not changed/],
  ['half of a surrogate pair', buffer('a'), 'a', '\ud83d', /half of a surrogate pair/],
  ['the same text', buffer('a'), 'a', 'a', /are the same/],
])('F-45 an edit is refused, and the file stays: %s', async (_name, before, old, next, why) => {
  space.put('f', before);
  const answer = await space.edit({ path: 'f', old, new: next });
  expect([answer.outcome, textOf(answer)]).toEqual(['failed', expect.stringMatching(why)]);
  expect(space.bytes('f')).toEqual(before);
});

test('F-45 P038 P042 P044 whatever a file holds, a unique edit changes nothing else', async () => {
  const piece = fc.constantFrom('a', 'word', '\n', '\r\n', '\r', 'é', '漢', '😀', ' ').map((text) => buffer(text));
  const latin = fc.constantFrom([0xe9], [0xff], [0x80], [0xc4, 0xe3]).map((array) => buffer(array));
  const part = (...of: readonly fc.Arbitrary<Buffer>[]) =>
    fc.array(fc.oneof(...of), { maxLength: 12 }).map((list) => Buffer.concat(list));
  const mark = fc.constantFrom(buffer(), buffer([0xef, 0xbb, 0xbf]));
  const next = fc.string({ unit: fc.constantFrom('n', '\n', ' ', '>'), maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(mark, part(piece, latin), part(piece, latin), next, async (bom, head, tail, text) => {
      const before = Buffer.concat([bom, head, buffer('\t<old\r\nold>')]);
      space.put('f', Buffer.concat([before, tail]));
      const answer = await space.edit({ path: 'f', old: '\t<old\nold>', new: `\t${text}` });
      expect([answer.outcome, textOf(answer)]).toEqual(['ok', expect.stringMatching(/^f edited \(line/)]);
      const after = space.bytes('f');
      expect(after.subarray(0, bom.length + head.length)).toEqual(Buffer.concat([bom, head]));
      expect(after.subarray(after.length - tail.length)).toEqual(tail);
      const middle = after.subarray(bom.length + head.length, after.length - tail.length).toString();
      expect(middle.replaceAll('\r\n', '\n')).toBe(`\t${text}`);
    }),
    { numRuns: 60 },
  );
});

test('P050 F-46 through a link its target is edited and the link stays', async () => {
  space.put('real/a', 'old');
  symlinkSync('real/a', join(space.root, 'link'));
  chmodSync(join(space.root, 'real/a'), 0o755);
  expect(await space.edit({ path: 'link', old: 'old', new: 'new' })).toMatchObject({
    outcome: 'ok',
    files: [{ path: 'real/a', how: 'written' }],
  });
  expect([
    readlinkSync(join(space.root, 'link')),
    space.text('real/a'),
    statSync(join(space.root, 'real/a')).mode & 0o777,
  ]).toEqual(['real/a', 'new', 0o755]);
});

test('P052 both names of a hard-linked file see the edit, and the answer says how to get the old content', async () => {
  linkSync(space.put('a', 'old'), join(space.root, 'b'));
  const id = hashOf(Buffer.from('old'));
  expect(textOf(await space.edit({ path: 'a', old: 'old', new: 'new' }))).toBe(
    `a edited (line 1): +1 -1. Written in place because it has 2 names (hard links); the old content is archived as ${id.slice(0, 12)}.`,
  );
  expect([space.text('b'), space.archived.get(id)?.toString()]).toEqual(['new', 'old']);
});

test.each(['out', 'out-folder/secret', '../secret', '/etc/hostname', 'dangling'])(
  'S-51 S-52 an edit or a write through %s touches nothing outside',
  async (path) => {
    const secret = join(space.top, 'w', 'secret');
    writeFileSync(secret, 'old');
    symlinkSync(secret, join(space.root, 'out'));
    symlinkSync('..', join(space.root, 'out-folder'));
    symlinkSync(join(space.top, 'planted'), join(space.root, 'dangling'));
    for (const answer of [
      await space.edit({ path, old: 'old', new: 'new' }),
      await space.write({ path, content: 'new' }),
    ]) {
      expect([answer.outcome, textOf(answer)]).toEqual(['failed', expect.stringMatching(/outside the workspace/)]);
    }
    expect([readFileSync(secret, 'utf8'), existsSync(join(space.top, 'planted'))]).toEqual(['old', false]);
    expect(lstatSync(join(space.root, 'dangling')).isSymbolicLink()).toBe(true);
  },
);

test.each<[string, string, RegExp]>([
  ['missing', 'none', /none does not exist, so there is nothing to edit\. To create it, use write\./],
  ['a folder', 'src', /src is a folder, not a file\./],
  ['read-only', 'fixed', /fixed is read-only \(mode 444\)\. Nothing was changed\./],
])('what cannot be edited says why: %s', async (_name, path, why) => {
  space.put('src/a', '');
  chmodSync(space.put('fixed', 'old'), 0o444);
  const answer = await space.edit({ path, old: 'old', new: 'new' });
  expect([answer.outcome, textOf(answer)]).toEqual(['failed', expect.stringMatching(why)]);
});

test('an interrupted edit says so and leaves the file', async () => {
  const stop = new AbortController();
  const stopped = makeWorkspace({ signal: stop.signal });
  stopped.put('a', 'old');
  stop.abort();
  expect(await stopped.edit({ path: 'a', old: 'old', new: 'new' })).toEqual({
    outcome: 'interrupted',
    body: { kind: 'text', text: 'a was not changed: interrupted.' },
  });
  expect(stopped.text('a')).toBe('old');
  stopped.remove();
});

test('a working folder that was deleted is named', async () => {
  rmSync(space.root, { recursive: true });
  const answers = [
    space.edit({ path: 'a', old: 'a', new: 'b' }),
    space.write({ path: 'a', content: '' }),
    space.read({ path: 'a' }),
  ];
  for (const answer of await Promise.all(answers)) {
    expect([answer.outcome, textOf(answer)]).toEqual([
      'failed',
      expect.stringContaining(`The working folder ${space.root} is gone.`),
    ]);
  }
  expect(existsSync(space.root)).toBe(false);
});
