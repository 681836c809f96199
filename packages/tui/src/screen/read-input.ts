/**
 * Reads what a terminal sends beside plain keys: bracketed paste, the wheel and clicks (SGR), keys of the kitty protocol,
 * focus. Pure: `(state, chunk) -> [state, events]`. Invariant: however the bytes are split, the same events come out; what
 * it does not know goes on as it came, in its place.
 */
import type { Input, Key } from './port.ts';

export type Read =
  | Input
  /** Not ours: for the parser of plain keys. */
  | { readonly kind: 'rest'; readonly text: string }
  | { readonly kind: 'focus'; readonly has: boolean };

export interface ReadState {
  /** The beginning of a sequence whose end has not come. */
  readonly held: string;
  /** Inside a bracketed paste: its text so far. */
  readonly pasted: string | undefined;
}

export const nothingRead: ReadState = { held: '', pasted: undefined };

const pasteEnd = '\x1b[201~';
/** A paste without end is given on when it is so long. */
const mostPasted = 16 * 1024 * 1024;

export function readInput(state: ReadState, chunk: string): readonly [ReadState, readonly Read[]] {
  const events: Read[] = [];
  let text = state.held + chunk;
  let { pasted } = state;
  for (;;) {
    if (pasted !== undefined) {
      const end = text.indexOf(pasteEnd);
      if (end < 0 && pasted.length + text.length < mostPasted) {
        const tail = partOf(text, pasteEnd);
        return [{ held: text.slice(text.length - tail), pasted: pasted + text.slice(0, text.length - tail) }, events];
      }
      const upTo = end < 0 ? text.length : end;
      events.push({ kind: 'paste', text: lineBreaks(pasted + text.slice(0, upTo)) });
      pasted = undefined;
      text = end < 0 ? '' : text.slice(end + pasteEnd.length);
    }
    const at = text.indexOf('\x1b[');
    if (at < 0) break;
    const [sequence, ...found] =
      /^\x1b\[(?:(200)~|<(\d+);(\d+);(\d+)([Mm])|(\d+)(?:;(\d+))?u|(I|O)(?![0-9;]))/.exec(text.slice(at)) ?? [];
    if (sequence === undefined) {
      if (isUnfinished(text.slice(at))) {
        pushRest(events, text.slice(0, at));
        return [{ held: text.slice(at), pasted }, events];
      }
      // Another sequence: it goes on whole.
      const rest = /^\x1b\[[0-?]*[ -/]*[@-~]?/.exec(text.slice(at))?.[0] ?? '\x1b[';
      pushRest(events, text.slice(0, at) + rest);
      text = text.slice(at + rest.length);
      continue;
    }
    pushRest(events, text.slice(0, at));
    text = text.slice(at + sequence.length);
    if (found[0] !== undefined) pasted = '';
    else events.push(...eventOf(found));
  }
  // What follows an escape decides what it was.
  const held = text.endsWith('\x1b') ? '\x1b' : '';
  pushRest(events, text.slice(0, text.length - held.length));
  return [{ held, pasted }, events];
}

/** The end of a timer: what was held was no sequence of ours. */
export function flushInput(state: ReadState): readonly [ReadState, readonly Read[]] {
  if (state.held === '' || state.pasted !== undefined) return [state, []];
  return [nothingRead, [{ kind: 'rest', text: state.held }]];
}

function pushRest(events: Read[], text: string): void {
  if (text !== '') events.push({ kind: 'rest', text });
}

function isUnfinished(text: string): boolean {
  return /^\x1b\[(?:<?[\d;]*)$/.test(text);
}

/** How many characters at the end of `text` could begin `whole`. */
function partOf(text: string, whole: string): number {
  for (let length = Math.min(text.length, whole.length - 1); length > 0; length--)
    if (whole.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

/** Terminals send a carriage return for each line break of a paste. */
function lineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function eventOf([, button, column, row, state, code, modifiers, focus]: readonly (
  | string
  | undefined
)[]): readonly Read[] {
  if (focus !== undefined) return [{ kind: 'focus', has: focus === 'I' }];
  if (code !== undefined) return kittyKey(Number(code), Number(modifiers ?? '1') - 1);
  const place = { column: Number(column) - 1, row: Number(row) - 1 };
  switch (Number(button) & ~0b11100) {
    case 64:
      return [{ kind: 'wheel', lines: -3, row: place.row }];
    case 65:
      return [{ kind: 'wheel', lines: 3, row: place.row }];
    case 0:
      return state === 'M' ? [{ kind: 'click', ...place }] : [];
    default:
      return [];
  }
}

const named: Readonly<Record<number, string>> = { 13: 'enter', 9: 'tab', 27: 'escape', 127: 'backspace', 32: 'space' };

function kittyKey(code: number, modifiers: number): readonly Read[] {
  if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return [];
  const character = String.fromCodePoint(code);
  const name = named[code] ?? character.toLowerCase();
  const key: Key = {
    name,
    text: named[code] === undefined && (modifiers & 0b110) === 0 ? character : code === 32 ? ' ' : '',
    shift: (modifiers & 1) !== 0,
    alt: (modifiers & 2) !== 0,
    ctrl: (modifiers & 4) !== 0,
  };
  return [{ kind: 'key', key }];
}
