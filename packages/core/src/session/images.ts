/**
 * The images that a session shows, as a part of its fold: which the provider refused, which the prompt shows now, and
 * what they are expected to count. Invariant: it agrees with `render` on what is sent.
 */
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { SessionState } from './state.ts';

export type RefusedImages = SessionState['refusedImages'];

export const noneRefused: RefusedImages = new Map();

export function refuseImages(
  before: RefusedImages,
  { images, reason }: Extract<SessionEvent, { kind: 'images.refused' }>,
): RefusedImages {
  return new Map([...before, ...images.map((id) => [id, reason] as const)]);
}

type ShowingState = Pick<SessionState, 'items' | 'trims' | 'refusedImages'>;

export interface ShownImage {
  readonly image: Image;
  /** Of the event that brought it. */
  readonly seq: number;
  /** The call whose result it came with; undefined: the user's message. */
  readonly callId: CallId | undefined;
}

/** Those that are sent to a model that sees, in the order of the log. */
export function shownImages({ items, trims, refusedImages }: ShowingState): readonly ShownImage[] {
  return items.flatMap((item): readonly ShownImage[] => {
    if (item.kind !== 'message' && item.kind !== 'toolResult') return [];
    const callId = item.kind === 'toolResult' ? item.callId : undefined;
    if (callId !== undefined && trims.results.has(callId)) return [];
    const sent = (item.images ?? []).filter(({ archiveId }) => !refusedImages.has(archiveId));
    return sent.map((image) => ({ image, seq: item.seq, callId }));
  });
}

/** Of those that came after `seq`. */
export function imageTokensAfter(state: ShowingState, seq: number): number {
  return shownImages(state).reduce((sum, shown) => sum + (shown.seq > seq ? shown.image.tokens : 0), 0);
}

/**
 * Those for which a request was refused: what no answered request has held yet; where that is none, all of them (I3: they
 * leave the prompt by an event that names them).
 */
export function suspectImages(state: ShowingState): readonly Image[] {
  const shown = shownImages(state);
  const answered = state.items.findLast((item) => item.kind === 'answer')?.seq ?? 0;
  const fresh = shown.filter(({ seq }) => seq > answered);
  return (fresh.length > 0 ? fresh : shown).map(({ image }) => image);
}

/** As base64 a third more: several providers take 20 MB in a request, Anthropic 32 (2026-11). */
const heavyBytes = 10_000_000;

/** Whether a request was refused for its images: for what they are, or for what they weigh together. */
export function isForImages(state: ShowingState, { code, status }: Pick<Failure, 'code' | 'status'>): boolean {
  if (code === 'provider_image_refused') return true;
  const bytes = shownImages(state).reduce((sum, { image }) => sum + image.bytes, 0);
  return status === 413 && bytes >= heavyBytes;
}
