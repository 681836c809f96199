import { expect, test } from '@jest/globals';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import { reasoningNote } from '../../src/accounting/reasoning-note.ts';

const asked = (model: string) => ({ kind: 'request.started', model }) as SessionEvent;
const answered = (removedReasoning?: number) => ({ kind: 'assistant.finished', removedReasoning }) as SessionEvent;
const trimmed = (endsReasoning?: boolean) => ({ kind: 'context.trimmed', endsReasoning }) as SessionEvent;
const compacted = { kind: 'context.compacted' } as SessionEvent;

function check(events: readonly SessionEvent[], expected: string | undefined): void {
  const log = events.map((event, i): LoggedEvent => ({ seq: i + 1, at: i, event }));
  expect(reasoningNote(log, (model) => model === 'a/bound')).toBe(expected);
}

test('of a model that does not bind its reasoning, or of one that lost none, there is nothing to tell', () => {
  check([asked('a/free'), answered(), trimmed(), compacted], undefined);
  check([asked('a/bound'), answered(), trimmed(false)], undefined);
});

test('what trims and summaries ended, and what the provider left out, stands in one line', () => {
  const who = 'a/bound, whose reasoning is bound to what stood before,';
  check(
    [asked('a/bound'), answered(), trimmed(true)],
    `${who} lost what it had thought before a trim or summary; thinking again costs output.`,
  );
  check(
    [asked('a/bound'), trimmed(true), compacted, answered(2), answered(1)],
    `${who} lost what it had thought before 2 trims and summaries, and its provider left out 3 blocks of reasoning behind an edit; thinking again costs output.`,
  );
  check(
    [asked('a/free'), answered(1)],
    'The provider left out a block of reasoning behind an edit; thinking again costs output.',
  );
});
