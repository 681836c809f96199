import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Player } from '@zerd/simulator/players/player';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

type Call = { readonly name: string; readonly input: Record<string, unknown> };
type Result = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

const file = Array.from({ length: 120 }, (_, i) => `const number${i} = ${i * i};\n`).join('');
const read = (path = 'a.ts', more: object = {}): Call => ({ name: 'read', input: { path, ...more } });
const shell = (command: string): Call => ({ name: 'shell', input: { command } });

/** Each answer makes these calls; gives what their results showed, in order. */
async function play(answers: readonly (readonly Call[])[], more: SceneWish = {}): Promise<readonly Result[]> {
  const steps = [...answers.map((calls) => ({ calls })), { text: 'Done.' }];
  scene = await openScene({ files: { 'a.ts': file }, steps, ...more });
  const { sessionId, end } = await scene.say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  return resultsOf(sessionId);
}

function resultsOf(sessionId: SessionId): readonly Result[] {
  return scene.events(sessionId).flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [event] : []));
}

const pointer = (calls: string) =>
  new RegExp(`^\\[a\\.ts unchanged since ${calls}: lines .* above.*; archive [0-9a-f]{12}\\]$`);

test('reads, own edits, other changes and shell reads are told by what is above', async () => {
  const edit: Call = { name: 'edit', input: { path: 'a.ts', old: 'const number7 =', new: 'const seven =' } };
  const results = await play([
    [read()],
    [read()],
    [edit],
    [read()],
    [shell("sed -i 's/number90 /ninety /' a.ts")],
    [read()],
    [shell("sed -n '1,60p' a.ts")],
    [shell('cat -n a.ts')],
  ]);
  const shown = results.map((result) => result.shown);
  expect(shown[0]).toBe(file);
  expect(shown[1]).toMatch(pointer('call 1'));
  expect(shown[3]).toMatch(pointer('calls 1 and 3'));
  expect(shown[5]).toMatch(
    /^\[a\.ts changed since calls 1 and 3, above, only in this; archive [0-9a-f]{12}\]\n@@ -88,7 /,
  );
  expect(shown[5]).toContain('-const number90 = 8100;\n+const ninety = 8100;');
  expect(shown[6]).toMatch(pointer('calls 1, 3 and 6'));
  expect(shown[7]).toMatch(pointer('calls 1, 3 and 6'));
  expect(results[6]).toMatchObject({ files: [{ path: 'a.ts', how: 'read' }], leansOn: expect.any(Array) });
});

test('equal calls of one answer are admitted in order: the second points at the first', async () => {
  const [first, second] = await play([[read(), read()]]);
  expect(first?.shown).toBe(file);
  expect(second?.shown).toMatch(pointer('call 1'));
});

test('a file read through the shell may be replaced, and one that a command only resembled may not', async () => {
  const write: Call = { name: 'write', input: { path: 'a.ts', content: 'new\n' } };
  const [, refused] = await play([[shell('cat a.ts | sort')], [write]]);
  expect(refused).toMatchObject({ outcome: 'failed', shown: expect.stringContaining('you have not read it') });
  await scene.close();
  const [, written] = await play([[shell('cat a.ts')], [write]]);
  expect(written).toMatchObject({ outcome: 'ok' });
});

test('P020: a pointer never becomes the content of a file', async () => {
  const content = '[a.ts unchanged since call 1: lines 1-120 above; archive 0123456789ab]\n';
  const results = await play([[read()], [read()], [{ name: 'write', input: { path: 'a.ts', content } }], [read()]]);
  expect(results[2]).toMatchObject({
    outcome: 'failed',
    shown: expect.stringMatching(/^Nothing was written: "\[a\.ts/),
  });
  expect(results[3]?.shown).toMatch(pointer('call 1'));
});

test('P020: after a write the file is shown as it now is', async () => {
  const content = `${file}// more\n`;
  const results = await play([[read()], [{ name: 'write', input: { path: 'a.ts', content } }], [read()], [read()]]);
  expect(results[2]?.shown).toBe(content);
  expect(results[3]?.shown).toMatch(pointer('call 3'));
});

test('the third equal failing edit gives the present text, the next one points at it', async () => {
  const wrong: Call = { name: 'edit', input: { path: 'a.ts', old: 'const nothing =', new: 'x' } };
  const results = await play([[wrong], [wrong], [wrong], [wrong], [read()]]);
  const lead =
    /^a\.ts was not changed: `old` is not in it\..* This edit has failed (\d) times; edit the text as it is now:\n/;
  expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed', 'ok']);
  expect(results[1]?.shown).toBe(results[0]?.shown);
  expect(lead.exec(results[2]?.shown ?? '')?.[1]).toBe('3');
  expect(results[2]?.shown.replace(lead, '')).toBe(file);
  expect(results[3]?.shown.replace(lead, '')).toMatch(pointer('call 3'));
  expect(results[4]?.shown).toMatch(pointer('call 3'));
});

test('a command that runs again is a diff against its last run, also after a restart', async () => {
  const command = 'for i in $(seq 1 80); do echo "ok $i - it does what it says"; done; cat extra.txt';
  const steps = [{ calls: [shell(command)] }, { text: 'Done.' }, { calls: [shell(command)] }, { text: 'Done.' }];
  scene = await openScene({ files: { 'extra.txt': 'passed\n' }, steps });
  const { sessionId, end } = await scene.say('Go');
  await end;
  await scene.restart();
  writeFileSync(join(scene.root, 'extra.txt'), 'failed: 1\n');
  await scene.say('Again', { sessionId });
  await turnsEnded(sessionId, 2);
  const [, again] = resultsOf(sessionId);
  expect(again?.shown).toMatch(
    /^\[as call 1, above, but for this; archive [0-9a-f]{12}\]\n@@ -80,2 \+80,2 @@\n ok 80 - it does what it says\n-passed\n\+failed: 1$/,
  );
});

/** `end` of a scene settles with an earlier turn's end. */
async function turnsEnded(sessionId: SessionId, count: number): Promise<void> {
  const ended = () => scene.events(sessionId).filter(({ event }) => event.kind === 'turn.finished').length;
  while (ended() < count) await new Promise((resolve) => setImmediate(resolve));
}

test('archived output is recalled by id, range and pattern in another session and after a restart', async () => {
  const lines = Array.from(
    { length: 3_000 },
    (_, i) => `event ${i} ${'abcdefg'[i % 7]}${i === 1_500 ? ' needle' : ''}`,
  );
  const log = `${lines.join('\n')}\n`;
  const id = createHash('sha256').update(log).digest('hex').slice(0, 12);
  const steps = [
    { calls: [shell('cat big.log')] },
    { text: 'Done.' },
    { calls: [{ name: 'recall', input: { id, offset: 1_000, limit: 2 } }] },
    { calls: [{ name: 'recall', input: { id, pattern: 'needle' } }] },
    { text: 'Done.' },
  ];
  scene = await openScene({ files: { 'big.log': log }, steps });
  await (await scene.say('Go')).end;
  await scene.restart();
  const { sessionId, end } = await scene.say('In another session');
  await end;
  expect(resultsOf(sessionId).map(({ shown }) => shown)).toEqual([
    `${lines.slice(999, 1_001).join('\n')}\n[lines 1000-1001 of 3,000; next offset 1002]`,
    `1501: ${lines[1_500]}\n[1 matching line]`,
  ]);
});

test('caps of the settings hold', async () => {
  const [shown] = await play([[shell('cat big.log')]], {
    files: { 'big.log': 'a line of the log\n'.repeat(40).concat('x'.repeat(3_000), '\n') },
    config: { context: { caps: { shell: 1_000, line: 100 } } },
  });
  expect(shown?.shown.length).toBeLessThanOrEqual(1_000);
  expect(shown?.shown).toContain('[2,945 encoded bytes left out]');
});

test('complaints 2.9: a file is known by its bytes, whatever its times, size and inode say', async () => {
  const results = await play([
    [read()],
    [shell('touch a.ts')],
    [read()],
    [shell('cp a.ts b.ts && mv b.ts a.ts')],
    [read()],
    [shell("sed -i 's/number90 /NUMBER90 /' a.ts && touch -d '2001-01-01' a.ts")],
    [read()],
    [shell("sed -i 's/^const/let/' a.ts")],
    [read()],
  ]);
  const shown = results.map((result) => result.shown);
  expect([shown[2], shown[4]]).toEqual([
    expect.stringMatching(pointer('call 1')),
    expect.stringMatching(pointer('call 1')),
  ]);
  expect(shown[6]).toMatch(/^\[a\.ts changed since call 1, above, only in this/);
  expect(shown[8]).toBe(file.replaceAll('const', 'let').replace('number90 ', 'NUMBER90 '));
});

const numbered = Array.from({ length: 60 }, (_, i) => `line ${i + 1} of a text with é in it`);
const cells = numbered.map((line) => ({ cell_type: 'code', metadata: {}, outputs: [], source: [line] }));

test.each<[string, string, Buffer]>([
  ['a UTF-16 file', 'wide.txt', Buffer.from(`\ufeff${numbered.join('\r\n')}\r\n`, 'utf16le')],
  ['a file with a byte order mark', 'bom.txt', Buffer.from(`\ufeff${numbered.join('\n')}`)],
  ['CRLF', 'crlf.txt', Buffer.from(numbered.join('\r\n'))],
  ['P130: a notebook', 'a.ipynb', Buffer.from(JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }))],
])('I5: the id in a pointer gives the lines as they were shown, whatever the bytes: %s', async (_name, path, bytes) => {
  let step = 0;
  const player: Player = ({ messages }) => {
    step += 1;
    if (step <= 2) return { calls: [read(path)] };
    const [, id] = /unchanged since call 1: .*; archive (\w+)\]/.exec(JSON.stringify(messages)) ?? [];
    return step === 3 ? { calls: [{ name: 'recall', input: { id, offset: 1, limit: 5 } }] } : { text: 'Done.' };
  };
  scene = await openScene({ player });
  writeFileSync(join(scene.root, path), bytes);
  const { sessionId, end } = await scene.say('Go');
  await end;
  const [whole, , recalled] = resultsOf(sessionId).map(({ shown }) => shown.split('\n'));
  const text = whole?.slice(whole[0]?.startsWith(path) ? 1 : 0);
  expect(recalled?.slice(0, -1)).toEqual(text?.slice(0, 5));
});
