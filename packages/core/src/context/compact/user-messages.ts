/**
 * Keeps what the user said, word for word. A message over 4 kB keeps its beginning and end, and of its middle the list
 * items and the lines that name a place in a file. Invariant: within its bytes; the newest and the first message are the
 * last to be shortened, and every message leaves at least a beginning or is counted.
 */
import { utf8Length } from '../../text/utf8.ts';
import { clipToLine, fenced, fitting, headAndTail, leftOut } from './clip.ts';
import type { ToldMessage } from './story.ts';
import { placeIn } from './trouble-lines.ts';

export const wholeMessageBytes = 4_000;
/** List items and places of one message's middle. */
const mostItems = 16_000;
/** Tried in this order when all of them together are too much. */
const smaller = [2_000, 1_000, 500, 250, 120] as const;

/** Empty: there is none. `bytes` is what all of them may take. */
export function tellMessages(messages: readonly ToldMessage[], bytes: number): string {
  const whole = render(messages, () => keepWhole(bytes));
  if (utf8Length(whole) <= bytes) return whole;
  for (const most of smaller) {
    const text = render(messages, (i) => (isKept(i, messages) ? keepWhole(bytes / 3) : short(most)));
    if (utf8Length(text) <= bytes) return text;
  }
  return lastResort(messages, bytes);
}

type Keep = (text: string) => string;

function render(messages: readonly ToldMessage[], keepOf: (index: number) => Keep): string {
  return messages.map(({ text }, i) => `${i + 1}.\n${fenced(keepOf(i)(text))}`).join('\n');
}

function isKept(index: number, messages: readonly ToldMessage[]): boolean {
  return index === 0 || index === messages.length - 1;
}

function short(most: number): Keep {
  return (text) => headAndTail(text, most);
}

/** As the rule has it; `bytes` bounds a message that is nothing but list items. */
function keepWhole(bytes: number): Keep {
  return (text) => keepItems(text, Math.min(bytes, wholeMessageBytes + mostItems));
}

function keepItems(text: string, most: number): string {
  if (utf8Length(text) <= Math.min(most, wholeMessageBytes)) return text;
  const clipped = headAndTail(text, Math.min(most, wholeMessageBytes));
  const items = fitting(middleItems(text, clipped), most - wholeMessageBytes);
  if (items.length === 0) return clipped;
  const shown = new Set(items);
  const parts = clipped.split('\n');
  const at = parts.findIndex((line) => /^\[[\d,]+ bytes left out\]$/.test(line));
  const missing = Math.max(
    0,
    utf8Length(text) - utf8Length(clipped) - [...shown].reduce((n, i) => n + utf8Length(i), 0),
  );
  return [...parts.slice(0, at), ...items, leftOut(missing), ...parts.slice(at + 1)].join('\n');
}

const listItem = /^\s*(?:[-*+•]|\d+[.)]|\[[ x]\])\s+\S/;

/** Lines of the middle that stay whole, in order. */
function middleItems(text: string, clipped: string): readonly string[] {
  const there = new Set(clipped.split('\n'));
  return text.split('\n').filter((line) => !there.has(line) && (listItem.test(line) || placeIn(line) !== undefined));
}

/** More messages than there is room for: the newest, and how many there were. */
function lastResort(messages: readonly ToldMessage[], bytes: number): string {
  const last = messages.at(-1);
  const newest = last === undefined ? '' : fenced(headAndTail(last.text, bytes / 2));
  const lines = messages.slice(0, -1).map(({ text }, i) => `${i + 1}. ${clipToLine(text, 100)}`);
  const kept = new Set(fitting([...lines].reverse(), bytes - utf8Length(newest) - 80));
  const missing = lines.length - kept.size;
  const count = missing === 0 ? [] : [`[${missing} earlier messages left out]`];
  return [...count, ...lines.filter((line) => kept.has(line)), `${messages.length}.`, newest].join('\n');
}
