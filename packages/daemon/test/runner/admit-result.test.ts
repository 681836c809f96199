import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import { utf8Length } from '@zerd/core/text/utf8';
import type { ToolResult } from '@zerd/daemon/base/ports';
import { admitResult } from '@zerd/daemon/runner/admit-result';
import { run as runShell } from '@zerd/daemon/tools/shell/run';
import { makeToolRoom, type ToolRoom } from '../support/tool-room.ts';

let room: ToolRoom;

beforeEach(async () => {
  room = await makeToolRoom();
});

afterEach(() => room.remove());

function admitted(tool: string, result: ToolResult) {
  return admitResult({ tool, result, archive: room.context.archive, caps: defaultCaps });
}

async function archived(id: string | undefined): Promise<string> {
  const found = await room.context.archive.locate(id ?? '');
  return found === undefined ? '' : readFileSync(found.file, 'utf8');
}

test('I4: the whole body is archived, the shown part points to it', async () => {
  const text = Array.from({ length: 2_000 }, (_, i) => `${i} ${'abc'[i % 3]}${'defgh'[i % 5]}`).join('\n');
  const { shown, archiveId, bytes } = await admitted('shell', {
    outcome: 'failed',
    body: { kind: 'text', text },
    head: 'exit 2',
  });
  expect([await archived(archiveId), bytes]).toEqual([text, utf8Length(text)]);
  expect(shown.startsWith('exit 2\n0 ad\n')).toBe(true);
  expect(shown).toContain(`recall {"id":"${archiveId}"`);
  expect(utf8Length(shown)).toBeLessThanOrEqual(defaultCaps.failingShell + 'exit 2\n'.length);
});

test('an empty body is said in a word and archived nowhere', async () => {
  expect(await admitted('shell', { outcome: 'ok', body: { kind: 'text', text: '' } })).toEqual({
    shown: '(no output)',
    archiveId: undefined,
    bytes: 0,
  });
});

test('a spool is adopted', async () => {
  const file = room.context.archive.spoolPath();
  writeFileSync(file, 'raw \xff');
  const body = {
    kind: 'spool',
    file,
    headText: 'head\n',
    tailText: 'tail',
    totalBytes: 9_000_000,
    totalLines: 100,
  } as const;
  const { shown, archiveId, bytes } = await admitted('shell', { outcome: 'ok', body });
  expect([await archived(archiveId), existsSync(file), bytes]).toEqual(['raw \xff', false, 9_000_000]);
  expect(shown).toBe(
    `head\n[98 lines (2-99), 8,999,990 bytes left out: recall {"id":"${archiveId}","offset":2,"limit":100} or "pattern"]\ntail`,
  );
});

test('matches are archived one by one and shown by file', async () => {
  const answer = {
    hits: [{ path: 'a', line: 2, text: 'x y', column: 2 }],
    totalMatches: 1,
    totalFiles: 1,
    files: [{ path: 'a', count: 1 }],
  };
  const { shown, archiveId } = await admitted('search', { outcome: 'ok', body: { kind: 'hits', answer } });
  expect([shown, await archived(archiveId)]).toEqual(['a\n2: x y', 'a:2:x y\n\n1 match in 1 file\n1 a']);
});

test('I4: gigabytes of one line, from the command to what the model sees', async () => {
  const result = await runShell({ command: 'head -c 150000000 /dev/zero | tr "\\0" x; exit 1' }, room.context);
  const { shown, archiveId, bytes } = await admitted('shell', result);
  expect([bytes, result.exitCode]).toEqual([150_000_000, 1]);
  expect(utf8Length(shown)).toBeLessThanOrEqual(defaultCaps.failingShell);
  expect((await archived(archiveId)).length).toBe(64 * 1024 * 1024 + '\n[82891136 bytes are not kept here]\n'.length);
});
