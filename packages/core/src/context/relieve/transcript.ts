/**
 * Takes a session's transcript apart by answered request, with the size and class of every text as it is sent now.
 * Invariant: it agrees with `render` on what is sent.
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { AnsweredRequest, SessionState, TranscriptItem } from '../../session/state.ts';
import { utf8Length } from '../../text/utf8.ts';
import { clearedInputBytes, clearedResultBytes } from '../cleared.ts';
import { unknownResult } from '../render.ts';
import { classOf, type TextClass } from './token-rates.ts';

export type CallBlock = Extract<AssistantBlock, { kind: 'toolCall' }>;
export type ResultItem = Extract<TranscriptItem, { kind: 'toolResult' }>;

export interface Size {
  readonly bytes: number;
  readonly class: TextClass;
}

export interface CalledPart {
  readonly block: CallBlock;
  readonly item: ResultItem | undefined;
  readonly input: Size;
  readonly result: Size;
  /** Shown with the result; a trim takes them away. */
  readonly images: Size;
}

export interface RequestPart {
  /** Undefined: the request that comes next. */
  readonly request: AnsweredRequest | undefined;
  readonly before: readonly Size[];
  /** Notes of trims in front of it that are still sent, by seq. */
  readonly notes: readonly { readonly seq: number; readonly size: Size }[];
  /** A trim lies right in front of it. */
  readonly trimmed: boolean;
  readonly answer: readonly Size[];
  readonly reasoning: readonly Size[];
  readonly calls: readonly CalledPart[];
}

/** What frames a block on the wire: braces, kinds, ids. */
export const framing = 60;

/** The answered requests, oldest first, and the one that comes next. */
export function takeApart(state: SessionState): readonly RequestPart[] {
  const results = new Map<CallId, ResultItem>();
  for (const item of state.items) if (item.kind === 'toolResult') results.set(item.callId, item);
  const parts: RequestPart[] = [];
  let front = emptyFront();
  for (const item of state.items) {
    if (item.kind === 'message') {
      front.before.push(sizeOf(item, `${item.handed?.join('') ?? ''}${item.facts ?? ''}${item.text}`));
      front.before.push(...imagesOf(item.images, state));
    }
    if (item.kind === 'reminder') front.before.push(sizeOf(item, item.text));
    if (item.kind === 'note') addNote(front, item, state);
    if (item.kind !== 'answer') continue;
    parts.push(answerPart(front, item, state.requests[parts.length], results, state));
    front = emptyFront();
  }
  const { before, notes, trimmed } = front;
  parts.push({ request: undefined, before, notes, trimmed, answer: nothing, reasoning: nothing, calls: nothing });
  return parts;
}

interface Front {
  readonly before: Size[];
  readonly notes: { readonly seq: number; readonly size: Size }[];
  trimmed: boolean;
}

function emptyFront(): Front {
  return { before: [], notes: [], trimmed: false };
}

function addNote(front: Front, item: Extract<TranscriptItem, { kind: 'note' }>, { trims }: SessionState): void {
  front.trimmed = true;
  if (!trims.clearedNotes.has(item.seq)) front.notes.push({ seq: item.seq, size: sizeOf(item, item.text) });
}

function answerPart(
  { before, notes, trimmed }: Front,
  item: AnswerItem,
  request: AnsweredRequest | undefined,
  results: ReadonlyMap<CallId, ResultItem>,
  state: SessionState,
): RequestPart {
  const { model, trims } = state;
  const { answer, reasoning, calls } = saidIn(item);
  const keepsReasoning = item.model === model && item.seq >= trims.reasoningFrom;
  return {
    request,
    before,
    notes,
    trimmed,
    answer,
    reasoning: keepsReasoning ? reasoning : nothing,
    calls: calls.map((block) => withImages(calledPart(block, results.get(block.callId), trims), state)),
  };
}

const nothing: readonly never[] = [];

type AnswerItem = Extract<TranscriptItem, { kind: 'answer' }>;

interface Said {
  readonly answer: readonly Size[];
  readonly reasoning: readonly Size[];
  readonly calls: readonly CallBlock[];
}

const saids = new WeakMap<AnswerItem, Said>();

/** Remembered by item: an answer never changes. */
function saidIn(item: AnswerItem): Said {
  const before = saids.get(item);
  if (before !== undefined) return before;
  const of = <K extends AssistantBlock['kind']>(kind: K) =>
    item.content.filter((block): block is Extract<AssistantBlock, { kind: K }> => block.kind === kind);
  const said: Said = {
    answer: of('text').map((block) => sizeOf(block, block.text)),
    reasoning: of('opaque').map((block) => ({ bytes: block.json.length, class: 'opaque' })),
    calls: of('toolCall'),
  };
  saids.set(item, said);
  return said;
}

/** In tokens, and nothing where there is none. */
function imagesOf(images: readonly Image[] = [], { refusedImages }: SessionState): readonly Size[] {
  const sent = images.filter(({ archiveId }) => !refusedImages.has(archiveId));
  const tokens = sent.reduce((sum, image) => sum + image.tokens, 0);
  return tokens === 0 ? nothing : [{ bytes: tokens, class: 'image' }];
}

const noImages: Size = { bytes: 0, class: 'image' };

function withImages(part: CalledPart, state: SessionState): CalledPart {
  if (part.item?.images === undefined || state.trims.results.has(part.block.callId)) return part;
  return { ...part, images: imagesOf(part.item.images, state)[0] ?? noImages };
}

const wholes = new WeakMap<ResultItem, CalledPart>();

/** A call that no trim has touched is remembered by its result. */
function calledPart(block: CallBlock, item: ResultItem | undefined, trims: SessionState['trims']): CalledPart {
  const cutsResult = item?.archiveId !== undefined && trims.results.has(block.callId);
  const cutsInput = trims.inputs.has(block.callId);
  const known = item === undefined ? undefined : wholes.get(item);
  const whole = known ?? wholePart(block, item);
  if (item !== undefined) wholes.set(item, whole);
  if (!cutsResult && !cutsInput) return whole;
  return {
    ...whole,
    input: cutsInput ? clipped(whole.input, clearedInputBytes) : whole.input,
    result: cutsResult ? clipped(whole.result, clearedResultBytes) : whole.result,
  };
}

function wholePart(block: CallBlock, item: ResultItem | undefined): CalledPart {
  const result =
    item === undefined
      ? framed(sizeOfText(unknownResult))
      : sizeOf(item, item.shown + item.rules.map(({ text }) => text).join(''));
  return { block, item, input: sizeOf(block, block.inputJson), result, images: noImages };
}

function clipped(size: Size, bytes: number): Size {
  return size.bytes <= bytes + framing ? size : { ...size, bytes: bytes + framing };
}

function framed({ bytes, class: of }: Size): Size {
  return { bytes: bytes + framing, class: of };
}

const sizes = new WeakMap<object, Size>();

/** With its frame, remembered by its owner, which never changes. */
function sizeOf(owner: object, text: string): Size {
  const before = sizes.get(owner);
  if (before !== undefined) return before;
  const size = framed(sizeOfText(text));
  sizes.set(owner, size);
  return size;
}

export function sizeOfText(text: string): Size {
  return { bytes: utf8Length(text), class: classOf(text) };
}
