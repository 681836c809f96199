/** Words the note that tells the model what a trim cleared, and how each can be had again. Invariant: bounded. */
import { counted } from '../admit/format-count.ts';
import { shortId } from '../cleared.ts';
import { callWords } from './call-words.ts';
import type { CalledPart } from './transcript.ts';

/** The newest are the likeliest to be wanted; each stub names its id by itself. */
const mostLines = 24;

/** `calls`: all of the session, in order; `cut` are among them. */
export function trimNote(cut: readonly CalledPart[], calls: readonly CalledPart[]): string {
  const places = new Map(calls.map((call, index) => [call, index]));
  const lastEdit = lastEdits(calls);
  const lines = cut.slice(-mostLines).map((call) => lineOf(call, isStale(call, places.get(call) ?? 0, lastEdit)));
  const more = cut.length - lines.length;
  return [
    '<system-reminder>',
    'To save tokens, older results above now show only their beginning and end. Do not guess the rest: recall it by id, or read the file again, when you need it.',
    ...(more > 0 ? [`- ${counted(more, 'older result')}`] : []),
    ...lines,
    '</system-reminder>',
  ].join('\n');
}

/** `- read src/a.ts 1-80: 80 lines, 1a2b3c4d5e6f, edited since` */
function lineOf({ block, item }: CalledPart, stale: boolean): string {
  const lines = counted((item?.shown ?? '').split('\n').length, 'line');
  const id = item?.archiveId === undefined ? '' : `, ${shortId(item.archiveId)}`;
  return `- ${callWords(block).label}: ${lines}${id}${stale ? ', edited since' : ''}`;
}

function isStale({ block }: CalledPart, place: number, lastEdit: ReadonlyMap<string, number>): boolean {
  const { file } = callWords(block);
  return file !== undefined && (lastEdit.get(file) ?? -1) > place;
}

function lastEdits(calls: readonly CalledPart[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  calls.forEach(({ block, item }, index) => {
    const { use, file } = callWords(block);
    if (use === 'edit' && file !== undefined && item?.outcome === 'ok') last.set(file, index);
  });
  return last;
}
