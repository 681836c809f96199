import { expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import { jobItems, queueItems, type SessionRow, sessionItems } from '../src/app/lists.ts';
import { createPicker, type Item } from '../src/app/overlay.ts';
import { nextStatus, noStatus } from '../src/app/status.ts';
import { lineText } from '../src/text/style.ts';
import { pressed } from './keys.ts';

const now = 1_000_000_000;

const row = (more: Partial<SessionRow>): SessionRow => ({
  sessionId: 'ses_1' as SessionId,
  createdAt: 0,
  updatedAt: now - 5 * 60_000,
  lastSeq: 1,
  title: 'mend it',
  model: 'sim/sim',
  mode: 'ask',
  state: 'idle',
  requests: 1,
  costPico: 20_000_000_000,
  unpricedRequests: 0,
  ...more,
});

test.each<[string, Partial<SessionRow>, Item]>([
  ['an idle one', {}, { label: '  mend it', detail: '5 min ago · sim/sim · $0.0200', value: 'ses_1' }],
  [
    'one that works, with prompts that wait',
    { state: 'running', queued: 2, updatedAt: now },
    { label: '● mend it', detail: 'works · 2 wait · now · sim/sim · $0.0200', value: 'ses_1' },
  ],
  [
    'a sub-agent that asks, without a title or a price',
    { state: 'waiting', title: '', unpricedRequests: 1, costPico: 0, parentId: 'ses_0' as SessionId },
    { label: '? ses_1', detail: 'asks something · 5 min ago · sim/sim · $0.00+ · sub-agent', value: 'ses_1' },
  ],
])('a session in the list: %s', (_, more, expected) => {
  expect(sessionItems([row(more)], undefined, now)).toEqual([expected]);
});

const job = (more: Partial<JobRow>): JobRow => ({
  jobId: 'job_1' as JobRow['jobId'],
  sessionId: 'ses_1' as SessionId,
  command: 'npm run dev\n  --port 1',
  startedAt: now - 200_000,
  bytes: 12_345,
  ...more,
});

test('jobs: those that run first, with their state, time and command', () => {
  const ended = job({
    jobId: 'job_2' as JobRow['jobId'],
    outcome: 'exited',
    exitCode: 1,
    durationMs: 4_000,
    command: 'make',
  });
  expect(jobItems([ended, job({})], now)).toEqual([
    { label: '● job_1  npm run dev --port 1', detail: 'runs · 3 min · 12k bytes', value: 'job_1' },
    { label: '  job_2  make', detail: 'exit 1 · 4 s · 12k bytes', value: 'job_2' },
  ]);
});

test('prompts that wait, and whether they go on by themselves', () => {
  const kept = nextStatus(noStatus, { kind: 'prompt.queued', promptId: 'prm_1' as never, text: 'then\nmore' }, 1);
  expect(queueItems(kept.queue)).toEqual([{ label: 'then more', detail: 'a turn of its own', value: 'prm_1' }]);
  const failed = nextStatus(kept, { kind: 'turn.finished', turnId: 'turn_1' as never, outcome: 'failed' }, 2);
  expect([kept.queuePaused, failed.queuePaused]).toEqual([false, true]);
  expect(nextStatus(failed, { kind: 'turn.started', turnId: 'turn_2' as never }, 3).queuePaused).toBe(false);
});

test('the bar of a list stays on its item when others come and go, and Enter takes what is under it', () => {
  const picked: string[] = [];
  let items: Item[] = ['a', 'b'].map((name) => ({ label: name, detail: '', value: name }));
  const picker = createPicker({ title: 'T', items: () => items, pick: (value) => picked.push(value) });
  picker.lines(20, 5);
  picker.take(pressed('down'));
  picker.lines(20, 5);
  items = [{ label: 'new', detail: '', value: 'new' }, ...items];
  expect(picker.lines(20, 5).map((line) => lineText(line).trim())).toEqual(['T  type to filter,', 'new', 'a', 'b']);
  expect(picker.take(pressed('enter'))).toBe('close');
  expect(picked).toEqual(['b']);
});
