import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { run } from '@zerd/daemon/tools/recall/run';
import { brief, makeToolRoom, type ToolRoom, textOf } from '../support/tool-room.ts';

let room: ToolRoom;

beforeEach(async () => {
  room = await makeToolRoom();
});

afterEach(() => room.remove());

const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i + 1} ${i % 100 === 0 ? 'hundred' : 'plain'}`);

async function recall(body: string | Uint8Array, input: { pattern?: string; offset?: number; limit?: number }) {
  const id = await room.context.archive.put(body);
  return run({ id, ...input }, room.context);
}

async function check(body: string | Uint8Array, input: Parameters<typeof recall>[1], expected: string) {
  expect({ input, ...brief(await recall(body, input)) }).toEqual({ input, outcome: 'ok', text: expected });
}

test('a range is given with where it stands and what comes next', async () => {
  const body = `${lines.join('\n')}\n`;
  await check(body, { offset: 3, limit: 2 }, 'line 3 plain\nline 4 plain\n[lines 3-4 of 1,000; next offset 5]');
  await check(body, { offset: 1_000 }, 'line 1000 plain\n[lines 1000-1000 of 1,000]');
  await check(body, { offset: 1_001 }, '[there is no line 1001: the output has 1,000 lines]');
  await check('no end', {}, 'no end\n[lines 1-1 of 1]');
  await check('a\r\nb\r\n', {}, 'a\nb\n[lines 1-2 of 2]');
});

test('without a limit the answer is small, with one it may be as long as a read', async () => {
  const body = lines.join('\n');
  const small = textOf(await recall(body, {}));
  const large = textOf(await recall(body, { limit: 1_000 }));
  expect(small.length).toBeGreaterThan(3_400);
  expect(small.length).toBeLessThanOrEqual(3_800);
  expect(large.length).toBeGreaterThan(14_500);
  expect(large.length).toBeLessThanOrEqual(15_000);
  const next = /next offset (\d+)\]$/.exec(small)?.[1];
  expect(textOf(await recall(body, { offset: Number(next), limit: 1 })).startsWith(`line ${next} `)).toBe(true);
});

test('lines that match are given by number, and the rest by offset', async () => {
  const body = lines.join('\n');
  await check(
    body,
    { pattern: 'hundred', limit: 2 },
    '1: line 1 hundred\n101: line 101 hundred\n[10 matching lines, 2 shown; go on with offset 102]',
  );
  await check(body, { pattern: 'hundred', offset: 802 }, '901: line 901 hundred\n[1 matching line]');
  await check(body, { pattern: 'absent' }, 'no line matches');
  await check(body, { pattern: 'hundred', offset: 950 }, 'no line from 950 on matches');
});

test('a match in a long line is shown with what is around it, a long line alone in full length', async () => {
  const body = `short\n${'x;'.repeat(400_000)}needle${'y;'.repeat(400_000)}\n`;
  expect(textOf(await recall(body, { pattern: 'needle' }))).toMatch(
    /^2: \[799,\d{3} bytes left out\] [x;]+needle[y;]+ \[799,\d{3} bytes left out\]\n\[1 matching line\]$/,
  );
  const alone = textOf(await recall(body, { offset: 2, limit: 1 }));
  expect(alone).toMatch(/^[x;]+ \[\d\d,\d{3} bytes left out\] [x;]+ \[a line of 1600006 bytes\]\n/);
  expect(alone.length).toBeGreaterThan(14_000);
});

test('a pattern sees the text without its control sequences, across chunks too', async () => {
  const body = `${'filler\n'.repeat(9_360)}${'\x1b[31merror\x1b[0m: \x1b[1mbroken\x1b[0m\n'.repeat(2_000)}`;
  const text = textOf(await recall(body, { pattern: '^error: broken$', limit: 1 }));
  expect(text).toBe('9361: error: broken\n[2,000 matching lines, 1 shown; go on with offset 9362]');
});

test('a body with NULs and broken UTF-8 is searched as text', async () => {
  await check(
    Buffer.from('a\0b\ncaf\xe9 needle\n', 'latin1'),
    { pattern: 'needle' },
    '2: caf\ufffd needle\n[1 matching line]',
  );
});

test('an unknown id and a broken pattern say what to do', async () => {
  expect(brief(await run({ id: 'abc' }, room.context))).toEqual({
    outcome: 'failed',
    text: 'Nothing is archived under "abc". Use an id that a result of this session named (12 digits or more), or run the call again.',
  });
  expect(brief(await recall('x', { pattern: '(' }))).toEqual({
    outcome: 'failed',
    text: 'The pattern was not accepted: unclosed group. The syntax is that of Rust regular expressions, without look-around.',
  });
  expect(brief(await recall('x', { pattern: 'a\0' }))).toEqual({
    outcome: 'failed',
    text: 'The pattern was not accepted: a NUL byte is written as \\x00. The syntax is that of Rust regular expressions, without look-around.',
  });
});

test('a prefix of an id is enough, and an interrupt ends a recall', async () => {
  const id = await room.context.archive.put('body');
  expect((await run({ id: id.slice(0, 12) }, room.context)).outcome).toBe('ok');
  const stopped = { ...room.context, signal: AbortSignal.abort() };
  expect([(await run({ id }, stopped)).outcome, (await run({ id, pattern: 'b' }, stopped)).outcome]).toEqual([
    'interrupted',
    'interrupted',
  ]);
});

test('64 MiB are streamed', async () => {
  const file = room.context.archive.spoolPath();
  writeFileSync(file, Buffer.alloc(64 * 1024 * 1024, 'abcdefg\n'));
  const id = await room.context.archive.adopt(file);
  const before = process.memoryUsage().rss;
  expect(textOf(await run({ id, offset: 8_388_608 }, room.context))).toBe(
    'abcdefg\n[lines 8388608-8388608 of 8,388,608]',
  );
  expect(textOf(await run({ id, pattern: 'h' }, room.context))).toBe('no line matches');
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
});
