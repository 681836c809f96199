/**
 * Takes a session's transcript apart by answered request, with the size and class of every text as it is sent now.
 * Invariant: it agrees with `render` on what is sent.
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { AnsweredRequest, SessionState, TranscriptItem } from '../../session/fold.ts';
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
    if (item.kind === 'message') front.before.push(framed(sizeOf(item, `${item.facts ?? ''}${item.text}`)));
    if (item.kind === 'reminder') front.before.push(framed(sizeOf(item, item.text)));
    if (item.kind === 'note') addNote(front, item, state);
    if (item.kind !== 'answer') continue;
    parts.push({ ...front, ...answerPart(item, results, state), request: state.requests[parts.length] });
    front = emptyFront();
  }
  return [...parts, { ...front, answer: [], reasoning: [], calls: [], request: undefined }];
}

function emptyFront() {
  return { before: [] as Size[], notes: [] as { seq: number; size: Size }[], trimmed: false };
}

function addNote(
  front: ReturnType<typeof emptyFront>,
  item: Extract<TranscriptItem, { kind: 'note' }>,
  { trims }: SessionState,
): void {
  front.trimmed = true;
  if (!trims.clearedNotes.has(item.seq)) front.notes.push({ seq: item.seq, size: framed(sizeOf(item, item.text)) });
}

function answerPart(
  item: Extract<TranscriptItem, { kind: 'answer' }>,
  results: ReadonlyMap<CallId, ResultItem>,
  { model, trims }: SessionState,
) {
  const answer: Size[] = [];
  const reasoning: Size[] = [];
  const calls: CalledPart[] = [];
  for (const block of item.content) {
    if (block.kind === 'text') answer.push(framed(sizeOf(block, block.text)));
    if (block.kind === 'opaque' && item.model === model && item.seq >= trims.reasoningFrom)
      reasoning.push({ bytes: block.json.length, class: 'opaque' });
    if (block.kind === 'toolCall') calls.push(calledPart(block, results.get(block.callId), trims));
  }
  return { answer, reasoning, calls };
}

function calledPart(
  block: CallBlock,
  item: ResultItem | undefined,
  { results, inputs }: SessionState['trims'],
): CalledPart {
  const input = sizeOf(block, block.inputJson);
  const result = item === undefined ? sizeOfText(unknownResult) : sizeOf(item, item.shown);
  const cut = item?.archiveId !== undefined && results.has(block.callId);
  return {
    block,
    item,
    input: framed(inputs.has(block.callId) ? clipped(input, clearedInputBytes) : input),
    result: framed(cut ? clipped(result, clearedResultBytes) : result),
  };
}

function clipped(size: Size, bytes: number): Size {
  return size.bytes <= bytes ? size : { ...size, bytes };
}

function framed({ bytes, class: of }: Size): Size {
  return { bytes: bytes + framing, class: of };
}

const sizes = new WeakMap<object, Size>();

/** Remembered by its owner, which never changes. */
function sizeOf(owner: object, text: string): Size {
  const before = sizes.get(owner);
  if (before !== undefined) return before;
  const size = sizeOfText(text);
  sizes.set(owner, size);
  return size;
}

export function sizeOfText(text: string): Size {
  return { bytes: utf8Length(text), class: classOf(text) };
}
