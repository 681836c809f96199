/**
 * The model of the attach bench: one session calls tools, far faster than models do, the others are given long answers
 * piece by piece. Neither ends by itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Player, Step } from '../../players/player.ts';
import type { RequestView } from '../../view/request-view.ts';

/** What the first message of a session says. */
export const growing = 'Grow';
export const streaming = 'Stream';

/** Two events each. */
const calls = 24;
/** Before such an answer. */
const thinkMs = 200;
/** Some seconds of answer, 40 pieces a second: about as fast as models write. */
const pieces = 200;
const pieceMs = 25;

export const attachPlayer: Player = (view) => (said(view).includes(streaming) ? stream(view) : grow(view));

function said({ messages }: RequestView): string {
  return (messages[0]?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}

function grow({ messages }: RequestView): Step {
  const round = messages.length;
  return {
    calls: Array.from({ length: calls }, (_, n) => ({ name: 'read', input: { path: `none/${round}/${n}.txt` } })),
    begins: pause(thinkMs),
  };
}

function stream({ messages }: RequestView): Step {
  return {
    text: Array.from({ length: pieces }, (_, n) => `word${String(n).padStart(4, '0')}, `).join(''),
    deltaLength: 10,
    calls: [{ name: 'read', input: { path: 'a.txt', offset: 1 + (messages.length % 10) } }],
    // The event of such a piece is about so long.
    fault: { kind: 'chunks', bytes: 134, everyMs: pieceMs },
  };
}
