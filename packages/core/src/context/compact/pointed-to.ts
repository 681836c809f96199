/**
 * Shows once more what results point to that the model goes on to read: a pointer whose text was replaced by the summary
 * says nothing (I5). Invariant: within its bytes; the newest texts are the last to be left out.
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import { utf8Length } from '../../text/utf8.ts';
import { fenced, headAndTail } from './clip.ts';
import { labelOf, type ToldCall, tellStory, textField } from './story.ts';

/** A text of which less can be shown is had again by its archive id. */
const leastText = 200;

export function tellPointedTo(
  events: readonly LoggedEvent[],
  { throughSeq, unseenAfter }: { readonly throughSeq: number; readonly unseenAfter: number | undefined },
  bytes: number,
): string {
  const wanted = basesOf(events, unseenAfter ?? throughSeq);
  const calls = tellStory(events, throughSeq).calls.filter(({ callId }) => wanted.has(callId));
  const told: string[] = [];
  let left = bytes;
  calls.toReversed().forEach((call, i) => {
    const label = labelOf(call);
    const room = Math.floor(left / (calls.length - i)) - utf8Length(label) - fenceBytes;
    if (room < leastText) return;
    const entry = `${label}\n${fenced(headAndTail(textOf(call), room))}`;
    told.push(entry);
    left -= utf8Length(entry) + 1;
  });
  return told.reverse().join('\n');
}

/** The frame of a text, with room for fences in it. */
const fenceBytes = 40;

/** The calls that results after `seq` lean on. */
function basesOf(events: readonly LoggedEvent[], seq: number): ReadonlySet<CallId> {
  const later = events.filter((logged) => logged.seq > seq);
  return new Set(later.flatMap(({ event }) => (event.kind === 'toolCall.finished' ? (event.leansOn ?? []) : [])));
}

/** An edit or a write shows the file by its arguments. */
function textOf(call: ToldCall): string {
  return textField(call, 'content') ?? textField(call, 'new') ?? call.shown;
}
