/**
 * Lays the blocks of a prompt out over its session's requests: in front of which each was new, and which trim cut it to
 * what. Pure.
 */
import { renderMessages } from '../context/render.ts';
import type { AnsweredRequest, SessionState } from '../session/state.ts';
import { noTrims } from '../session/trims.ts';
import { type Block, guessBlock, type PlainBlock, plainBlock } from './block-sizes.ts';

export interface LaidBlock extends Block {
  /** The number of the request that first held it; that of the next one for what was not sent yet. */
  readonly stretch: number;
  /** The trim that cut it, by seq; undefined: it is whole. */
  readonly cutAt: number | undefined;
  /** What is left of it; undefined: nothing. Of a block that is whole: itself. */
  readonly left: Block | undefined;
}

export interface LaidRequest extends AnsweredRequest {
  /** Of its answer. */
  readonly seq: number;
}

export interface LaidPrompt {
  /** As they were when they were new. */
  readonly blocks: readonly LaidBlock[];
  /** Those whose answers are in the transcript, oldest first. */
  readonly requests: readonly LaidRequest[];
  readonly byStretch: ReadonlyMap<number, readonly LaidBlock[]>;
  /** Those that are no longer whole. */
  readonly cut: readonly LaidBlock[];
}

export function layBlocks(state: SessionState): LaidPrompt {
  const requests = requestsOf(state);
  const { messages, tails } = renderMessages({ ...state, trims: noTrims });
  const starts: number[] = [];
  let at = 0;
  for (const { blocks } of messages) {
    starts.push(at);
    at += blocks.length;
  }
  const ends = requests.map(({ requestId }) => {
    const tail = tails.get(requestId);
    return tail === undefined ? 0 : (starts[tail.message] ?? 0) + tail.block + 1;
  });
  const shown = new Map(shownBlocks(state).map((block) => [block.key, block]));
  const cutAt = cutsOf(state);
  let stretch = 0;
  const blocks = messages
    .flatMap((message) => message.blocks.map(plainBlock))
    .map((plain, i): LaidBlock => {
      while (stretch < ends.length && (ends[stretch] ?? 0) <= i) stretch += 1;
      const block = guessBlock(plain);
      const rest = shown.get(block.key);
      const whole = rest?.text === block.text;
      const { key, text, kind, traits } = block;
      const left = whole ? block : rest && guessBlock(rest);
      return { key, text, kind, traits, stretch, left, cutAt: whole ? undefined : cutAt(block) };
    });
  const cut = blocks.filter((block) => block.cutAt !== undefined);
  return { blocks, requests, cut, byStretch: grouped(blocks) };
}

function grouped(blocks: readonly LaidBlock[]): LaidPrompt['byStretch'] {
  const groups = new Map<number, LaidBlock[]>();
  for (const block of blocks) {
    const group = groups.get(block.stretch);
    if (group === undefined) groups.set(block.stretch, [block]);
    else group.push(block);
  }
  return groups;
}

/** What is sent now. */
export function shownBlocks(state: SessionState): readonly PlainBlock[] {
  return renderMessages(state).messages.flatMap(({ blocks }) => blocks.map(plainBlock));
}

function requestsOf({ items, requests }: SessionState): readonly LaidRequest[] {
  const answers = items.filter((item) => item.kind === 'answer');
  return requests.flatMap((request, i) => {
    const seq = answers[i]?.seq;
    return seq === undefined ? [] : [{ ...request, seq }];
  });
}

/** A note goes with the trim behind it, reasoning with the one that ended it. */
function cutsOf({ items, trims }: SessionState): (block: PlainBlock) => number {
  const seqs = new Map<string, number>();
  for (const [callId, seq] of trims.inputsAt) seqs.set(`call ${callId}`, seq);
  for (const [callId, seq] of trims.results) seqs.set(`result ${callId}`, seq);
  const notes = items.filter((item) => item.kind === 'note');
  notes.forEach((note, i) => {
    const next = notes[i + 1];
    if (next !== undefined) seqs.set(`text ${note.text}`, next.seq);
  });
  return ({ key }) => seqs.get(key) ?? trims.reasoningFrom;
}
