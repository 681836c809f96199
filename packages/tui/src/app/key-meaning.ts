/** What a key means that answers nothing and completes nothing. Pure. */
import type { Key } from '../screen/port.ts';

export type KeyMeaning =
  | 'send'
  | 'queue'
  | 'newLine'
  /** In the place of the backslash at the end. */
  | 'newLineForBackslash'
  | 'nextMode'
  | 'interrupt'
  /** To before an earlier message. */
  | 'goBack'
  | 'takeBack'
  | 'editor'
  | 'empty'
  | 'stop'
  | 'leave'
  /** It moves the view, or changes what is written. */
  | 'other';

export interface KeySituation {
  /** What is written. */
  readonly text: string;
  /** A turn runs. */
  readonly works: boolean;
  /** A prompt waits that can be taken back. */
  readonly waits: boolean;
  /** Escape was pressed a moment ago, with nothing to interrupt. */
  readonly escaped: boolean;
}

export function keyMeaning({ name, ctrl, shift, alt }: Key, { text, works, waits, escaped }: KeySituation): KeyMeaning {
  if (name === 'enter') {
    if (shift || alt) return 'newLine';
    return text.endsWith('\\') ? 'newLineForBackslash' : 'send';
  }
  if (name === 'tab' && shift) return 'nextMode';
  if (name === 'tab' && works) return 'queue';
  if (name === 'escape') return escaped && !works && text === '' ? 'goBack' : 'interrupt';
  if (name === 'up' && !shift && waits && text === '') return 'takeBack';
  if (ctrl && name === 'g') return 'editor';
  if (ctrl && name === 'c') return text === '' ? 'stop' : 'empty';
  return ctrl && name === 'd' && text === '' ? 'leave' : 'other';
}
