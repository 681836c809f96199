import { expect, test } from '@jest/globals';
import { type CallId, type RequestId, turnIdSchema } from '@zerd/protocol/common/ids';
import { lineText } from '../src/text/style.ts';
import { createTranscript } from '../src/transcript/blocks.ts';
import { createTranscriptView } from '../src/transcript/transcript-view.ts';
import { key } from './keys.ts';

const turnId = turnIdSchema.parse('turn_1');

/** A transcript with one message of so many words, and the window onto it. */
function scene(words: number) {
  const transcript = createTranscript();
  const text = Array.from({ length: words }, (_, at) => `word${at}`).join(' ');
  transcript.event({ at: 0, event: { kind: 'message.submitted', turnId, text } });
  const view = createTranscriptView(transcript, () => 0);
  const seen = (columns: number, rows: number) => view.lines(columns, rows).map(lineText);
  const resized = (columns: number, rows: number) => {
    view.layoutAgain();
    return seen(columns, rows);
  };
  const answer = (said: string) => transcript.delta({ requestId: 'req_1' as RequestId, channel: 'text', text: said });
  const call = (shown: string) => {
    const callId = 'call_1' as CallId;
    const began = { kind: 'toolCall.started', turnId, callId, name: 'shell', inputJson: '{"command":"ls"}' } as const;
    transcript.event({ at: 0, event: began });
    const ended = { kind: 'toolCall.finished', turnId, callId, outcome: 'ok', shown, bytes: 0, durationMs: 0 } as const;
    transcript.event({ at: 0, event: ended });
  };
  return { view, seen, resized, answer, call };
}

test('whoever scrolled up on a narrow screen sees the same part of a text on a wide one, and back', () => {
  const { view, seen, resized } = scene(1_000);
  seen(20, 5);
  view.take(key('pageup'), 250);
  const [first = ''] = seen(20, 5);
  const place = Number(/word(\d+)/.exec(first)?.[1]);
  expect(place).toBeGreaterThan(400);
  for (const [columns, rows] of [
    [200, 8],
    [20, 5],
    [80, 24],
  ] as const) {
    const numbers = resized(columns, rows).flatMap((row) =>
      [...row.matchAll(/word(\d+)/g)].map(([, at]) => Number(at)),
    );
    expect(Math.abs((numbers[0] ?? 0) - place)).toBeLessThan(60);
  }
  expect(view.follows).toBe(false);
});

test('a screen that has room for all shows all, whatever was scrolled to before', () => {
  const { view, seen, resized } = scene(30);
  seen(20, 5);
  view.take(key('pageup'), 3);
  expect([seen(20, 5).length, view.follows]).toEqual([5, false]);
  const rows = resized(200, 60);
  expect(rows[1]).toMatch(/^> word0 .* word2\d/);
  expect(view.follows).toBe(true);
});

test('where all fits nothing is scrolled', () => {
  const { view, seen } = scene(3);
  seen(80, 24);
  view.take(key('pageup'), 20);
  expect([seen(80, 24), view.follows]).toEqual([['', '> word0 word1 word2'], true]);
});

test('what comes while one reads above moves nothing, and the end is followed again', () => {
  const { view, seen, answer } = scene(100);
  seen(20, 5);
  view.take(key('pageup'), 10);
  const before = seen(20, 5);
  answer('one\n\ntwo\n\nthree');
  expect(seen(20, 5)).toEqual(before);
  view.take(key('C-end'), 10);
  expect(seen(20, 5).at(-1)).toBe('three');
});

test('what one reads of an opened call is followed by its row when it is folded, never by nothing', () => {
  const { view, seen, call } = scene(3);
  call('line\n'.repeat(100));
  view.take(key('C-o'), 10);
  seen(40, 10);
  view.take(key('pageup'), 30);
  expect(seen(40, 10)).toEqual(Array.from({ length: 10 }, () => '    line'));
  view.take(key('C-o'), 10);
  expect(seen(40, 10)).toEqual(['', '> word0 word1 word2', '✓ shell ls (0.0 s)']);
});
