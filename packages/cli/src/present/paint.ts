/**
 * Turns lines into what is written to a terminal: text is sanitised here, at the last moment, and our own colours are
 * put around it afterwards, so that no caller can forget the first or mix up the order.
 */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';

export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'warn' | 'added' | 'removed' | 'hunk';

export interface Line {
  readonly tone: Tone;
  readonly text: string;
}

/** One line with its newline. Colours are left out unless `colour`. */
export function paint(line: Line, colour: boolean): string {
  const text = drawable(line.text);
  const code = codes[line.tone];
  return colour && code !== undefined && text !== '' ? `\x1b[${code}m${text}\x1b[0m\n` : `${text}\n`;
}

/** The lines of a text, all in one tone. */
export function linesOf(text: string, tone: Tone = 'plain'): readonly Line[] {
  return text.split('\n').map((part) => ({ tone, text: part }));
}

const codes: Readonly<Partial<Record<Tone, string>>> = {
  dim: '2',
  strong: '1',
  good: '32',
  bad: '31',
  warn: '33',
  added: '32',
  removed: '31',
  hunk: '36',
};

// Tabs indent code and stay; a newline inside a line is escaped.
function drawable(text: string): string {
  return text.split('\t').map(sanitiseLine).join('\t');
}
