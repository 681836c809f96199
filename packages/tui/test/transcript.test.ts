import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { turnIdSchema } from '@zerd/protocol/common/ids';
import { createTranscript } from '../src/transcript/blocks.ts';

const turnId = turnIdSchema.parse('turn_1');

function notes(event: SessionEvent) {
  const transcript = createTranscript();
  transcript.event({ at: 0, event });
  return transcript.blocks.flatMap((block) => (block.kind === 'note' ? [[block.tone, block.text]] : []));
}

test.each<[string, SessionEvent, string, string]>([
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
])('%s is a line of its own', (_, event, tone, text) => {
  expect(notes(event)).toEqual([[tone, text]]);
});
