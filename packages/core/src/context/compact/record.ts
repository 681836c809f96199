/**
 * Writes a part of a session out as text: for the archive in full, for a prompt that sums it up with every result cut.
 * Invariants: a part takes at most its bytes, or it is one entry, which is small whatever it tells of; parts follow each
 * other without a gap.
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import { utf8Length } from '../../text/utf8.ts';
import { headAndTail } from './clip.ts';
import { endingOf } from './errors.ts';
import { type Story, tellStory, textField } from './story.ts';

/** Bytes of one result, of arguments, and of a text in a prompt that sums up. */
const cut = { result: 2_000, input: 1_000, text: 6_000 };
const whole = { result: Number.POSITIVE_INFINITY, input: Number.POSITIVE_INFINITY, text: Number.POSITIVE_INFINITY };

export interface RecordPart {
  readonly text: string;
  /** The last event that it tells. */
  readonly through: number;
}

/** All of it, as the archive keeps it: a command stands on a line that begins with `$ `. */
export function wholeRecord(events: readonly LoggedEvent[], through: number, after: number): string {
  return tellStory(events, through, after)
    .parts.map((part) => entryOf(part, whole))
    .join('\n');
}

/** The next part of the events after `after` up to `through` that fits into `bytes`; undefined: nothing is left. */
export function nextRecord(
  events: readonly LoggedEvent[],
  { after, through, bytes }: { readonly after: number; readonly through: number; readonly bytes: number },
): RecordPart | undefined {
  const { parts } = tellStory(events, through, after);
  const entries: string[] = [];
  let left = bytes;
  let end = after;
  for (const part of parts) {
    const entry = entryOf(part, cut);
    const size = utf8Length(entry) + 1;
    if (size > left && entries.length > 0) return { text: entries.join('\n'), through: end };
    entries.push(entry);
    left -= size;
    end = part.seq;
  }
  return entries.length === 0 ? undefined : { text: entries.join('\n'), through };
}

function entryOf(part: Story['parts'][number], most: typeof cut): string {
  if (part.kind === 'message') return `USER: ${headAndTail(part.text, most.text)}\n`;
  if (part.kind === 'text') return `AGENT: ${headAndTail(part.text, most.text)}\n`;
  const command = part.name === 'shell' ? textField(part, 'command') : undefined;
  const asked = command === undefined ? `${part.name} ${part.inputJson}` : `$ ${command}`;
  const head = `CALL ${part.number} (${endingOf(part)})`;
  return `${head}\n${headAndTail(asked, most.input)}\n${headAndTail(part.shown, most.result)}\n`;
}
