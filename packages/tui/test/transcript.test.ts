import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type ApprovalId, type ArchiveId, type CallId, type RequestId, turnIdSchema } from '@zerd/protocol/common/ids';
import { lineText } from '../src/text/style.ts';
import { type Block, createTranscript } from '../src/transcript/blocks.ts';
import { layoutBlock } from '../src/transcript/layout.ts';

const turnId = turnIdSchema.parse('turn_1');

function notes(event: SessionEvent) {
  const transcript = createTranscript();
  transcript.event({ at: 0, event });
  return transcript.blocks.flatMap((block) => (block.kind === 'note' ? [[block.tone, block.text]] : []));
}

const image = {
  archiveId: '1a2b3c4d5e6f' as ArchiveId,
  name: 'docs/shot.png',
  type: 'image/png' as const,
  ...{ width: 800, height: 600, bytes: 34_120, tokens: 1_100 },
};

test('images are named with what goes with them: size, weight and what they count', () => {
  const transcript = createTranscript();
  transcript.event({ at: 0, event: { kind: 'message.submitted', turnId, text: 'Look', images: [image] } });
  transcript.event({
    at: 0,
    event: {
      ...{ kind: 'toolCall.finished', turnId, callId: 'c1' as CallId, outcome: 'ok', shown: 'shot', bytes: 4 },
      ...{ durationMs: 1, images: [{ ...image, tokens: 0 }] },
    },
  });
  expect(
    transcript.blocks.map((block) => ('shown' in block ? block.shown : 'text' in block ? block.text : '')),
  ).toEqual([
    'Look\n[image docs/shot.png 800x600, 34 kB, ~1,100 tokens]',
    'shot\n[image docs/shot.png 800x600, 34 kB, named to a model that sees none]',
  ]);
});

test.each<[string, SessionEvent, string, string]>([
  [
    'that an image was refused',
    { kind: 'images.refused', turnId, images: [image.archiveId], reason: 'Could not process image' },
    'warn',
    'the provider refused an image, which is named to the model from here on: Could not process image',
  ],
  [
    'that a limit in money cannot hold',
    { kind: 'budget.warned', turnId, model: 'a/b', text: 'a/b has no price.' },
    'warn',
    'a/b has no price.',
  ],
  [
    'that a model caches nothing',
    { kind: 'cache.warned', turnId, model: 'a/b', text: 'a/b caches nothing.' },
    'warn',
    'a/b caches nothing.',
  ],
  [
    'that a budget was raised',
    { kind: 'budget.raised', scope: 'session', by: { tokens: 10 } },
    'dim',
    'the budget of the session was raised',
  ],
  [
    'what was allowed for good',
    {
      ...{ kind: 'approval.answered', turnId, approvalId: 'apr_1' as ApprovalId },
      ...{ decision: 'granted', always: ['npm test *', 'make'] },
    },
    'dim',
    'granted for good: npm test *, make',
  ],
])('%s is a line of its own', (_, event, tone, text) => {
  expect(notes(event)).toEqual([[tone, text]]);
});

const requestId = 'req_1' as RequestId;
const byUser = { code: 'interrupted', message: 'interrupted by the user' };
const failed = (failure: { readonly code: string; readonly message: string }, partial?: string): SessionEvent => ({
  kind: 'request.failed',
  requestId,
  turnId,
  failure,
  ...(partial === undefined ? {} : { partial }),
});
const interrupted: SessionEvent = { kind: 'turn.finished', turnId, outcome: 'interrupted', failure: byUser };
const rows = (block: Block) => layoutBlock(block, { columns: 100, open: false, thinking: false, now: 0 }).map(lineText);

/** What is on the screen of whoever saw it happen, and of whoever comes later. */
function shown(deltas: Readonly<Record<string, string>>, ...events: readonly SessionEvent[]) {
  const [live, later] = [createTranscript(), createTranscript()];
  for (const [channel, text] of Object.entries(deltas)) live.delta({ requestId, channel, text });
  for (const event of events) for (const transcript of [live, later]) transcript.event({ at: 0, event });
  expect(later.blocks.flatMap(rows)).toEqual(live.blocks.flatMap(rows));
  return live.blocks.flatMap(rows);
}

test('an interrupt is told in one line, and what had been read stays, now and later', () => {
  expect(shown({}, interrupted)).toEqual(['· interrupted by the user']);
  expect(shown({}, failed(byUser), interrupted)).toEqual(['· interrupted by the user']);
  expect(shown({ reasoning: 'Hm.' }, failed(byUser), interrupted)).toEqual(['· interrupted by the user']);
  expect(shown({ reasoning: 'Hm.', text: 'The cause' }, failed(byUser, 'The cause'), interrupted)).toEqual([
    '',
    'The cause',
    '· interrupted by the user; the model will not see the answer that it had begun',
  ]);
});

test('what a turn that goes on had begun to say is said anew', () => {
  const stops = { code: 'interrupted', message: 'the daemon stopped; the next one goes on with the turn' };
  const resumed: SessionEvent = { kind: 'turn.resumed', turnId, reason: 'the daemon had stopped' };
  const done: SessionEvent = { kind: 'turn.finished', turnId, outcome: 'done' };
  expect(shown({ text: 'The' }, failed(stops, 'The'), resumed, done)).toEqual([
    '· what had come of this answer is not used',
    '· the turn goes on: the daemon had stopped',
  ]);
});

test('a request that failed says why in one line, whatever had come of it', () => {
  const busy = { code: 'provider_overloaded', message: 'busy' };
  expect(shown({ reasoning: 'Hm.' }, failed(busy))).toEqual(['· provider_overloaded: busy']);
});

test('what a request failed of, and the turn with it, is one line', () => {
  const quota = { code: 'provider_quota', message: 'You are out of money.' };
  const ended = (message: string): SessionEvent => ({
    kind: 'turn.finished',
    turnId,
    outcome: 'failed',
    failure: { code: 'provider_quota', message },
  });
  const both = shown({}, failed(quota), ended('You are out of money. Trying again cannot help.'));
  expect(both).toEqual(['· failed: You are out of money. Trying again cannot help.']);
  expect(shown({}, failed(quota), ended('Another reason.'))).toEqual([
    '· provider_quota: You are out of money.',
    '· failed: Another reason.',
  ]);
});

test('an interrupt behind a call leaves the call where it is', () => {
  const callId = 'call_1' as CallId;
  const call = { kind: 'toolCall.started', turnId, callId, name: 'shell', inputJson: '{"command":"ls"}' } as const;
  const ended = {
    kind: 'toolCall.finished',
    turnId,
    callId,
    outcome: 'ok',
    shown: '',
    bytes: 0,
    durationMs: 0,
  } as const;
  expect(shown({}, call, ended, failed(byUser), interrupted)).toEqual([
    '✓ shell ls (0.0 s)',
    '· interrupted by the user',
  ]);
});
