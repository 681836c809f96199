import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { openTranscripts } from '../../src/store/transcripts.ts';
import { temporaryFolder } from './temporary.ts';

const sessionId = 'ses_1' as SessionId;
const said = (seq: number): LoggedEvent => ({
  seq,
  at: seq,
  event: { kind: 'message.submitted', turnId: 'turn_1' as never, text: `line\n${seq}` },
});

test('what a compaction replaced stands in a private file, each event once, also when it is tried again', async () => {
  const folder = join(temporaryFolder(), 'transcripts');
  const transcripts = openTranscripts(folder);
  await transcripts.append(sessionId, [said(1), said(2)]);
  await transcripts.append(sessionId, [said(1), said(2), said(3)]);
  const file = join(folder, 'ses_1.jsonl');
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([1, 2, 3].map((seq) => ({ sessionId, ...said(seq) })));
  expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('a line that a crash cut short is left, and what follows begins on its own', async () => {
  const folder = join(temporaryFolder(), 'transcripts');
  const transcripts = openTranscripts(folder);
  await transcripts.append(sessionId, [said(1)]);
  const file = join(folder, 'ses_1.jsonl');
  appendFileSync(file, '{"sessionId":"ses_1","seq":2,"at":2,"ev');
  await transcripts.append(sessionId, [said(1), said(2)]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => line.length > 60)).toEqual([true, false, true]);
  expect(JSON.parse(lines[2] ?? '')).toEqual({ sessionId, ...said(2) });
});

test('a transcript that cannot be written is a failure of the store', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'transcripts'), 'in the way');
  await expect(openTranscripts(join(folder, 'transcripts')).append(sessionId, [said(1)])).rejects.toMatchObject({
    code: 'store_failed',
  });
});
