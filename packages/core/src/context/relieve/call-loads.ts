/**
 * What each call of a session weighs and how long its result is kept whole. Invariant (I5): what a pointer or diff
 * leans on is at least as young as that pointer. Its protection is not handed on: what is protected is a text.
 */
import type { CallId } from '@zerd/protocol/common/ids';
import type { Trims } from '../../session/trims.ts';
import { clearedInputBytes, clearedResultBytes, shortId } from '../cleared.ts';
import { callWords } from './call-words.ts';
import { chancesOfReturn } from './chance-of-return.ts';
import { type CallFacts, protect } from './protect.ts';
import { type CalledPart, framing, type RequestPart, type Size } from './transcript.ts';
import type { CallLoad } from './view.ts';

/** A line of the note that a trim appends. */
const noteLineBytes = 80;

/** Tokens of a text, or of the `most` bytes of it that would be left. */
export type Weigh = (size: Size, most?: number) => number;

interface Placed {
  readonly part: CalledPart;
  readonly request: number;
}

export interface Cutting {
  readonly trims: Trims;
  readonly weigh: Weigh;
  /** Requests whose results stay whole. */
  readonly window: number;
}

/** By request, in its order. */
export function callLoads(parts: readonly RequestPart[], cutting: Cutting): readonly (readonly CallLoad[])[] {
  const placed = parts.flatMap(({ calls }, request) => calls.map((part): Placed => ({ part, request })));
  const facts = factsOf(placed, cutting.trims);
  const ages = agesOf(placed, protect(facts), chancesOfReturn(facts, parts.length - 1, cutting.window));
  return parts.map(({ calls }, request) =>
    calls.map((part) => loadOf(part, ages.get(part.block.callId) ?? { since: request, until: 0, returns: 0 }, cutting)),
  );
}

function loadOf({ block, item, input, result, images }: CalledPart, age: Age, { trims, weigh }: Cutting): CallLoad {
  const canCut = item?.archiveId !== undefined && !trims.results.has(block.callId);
  const canStub = callWords(block).clearable && !trims.inputs.has(block.callId);
  return {
    callId: block.callId,
    since: age.since,
    protectedUntil: age.until,
    returns: age.returns,
    input: weigh(input),
    inputStub: weigh(input, canStub ? clearedInputBytes + framing : undefined),
    result: weigh(result) + weigh(images),
    resultStub: canCut ? weigh(result, clearedResultBytes + framing + noteLineBytes) : weigh(result) + weigh(images),
  };
}

interface Age {
  readonly since: number;
  readonly until: number;
  readonly returns: number;
}

function agesOf(
  placed: readonly Placed[],
  until: readonly number[],
  returns: readonly number[],
): ReadonlyMap<CallId, Age> {
  const ages = new Map<CallId, Age>();
  placed.forEach(({ part, request }, index) => {
    const own = { since: request, until: until[index] ?? 0, returns: returns[index] ?? 0 };
    ages.set(part.block.callId, own);
    for (const base of part.item?.leansOn ?? []) {
      const age = ages.get(base);
      if (age !== undefined) ages.set(base, { ...age, since: Math.max(age.since, own.since) });
    }
  });
  return ages;
}

function factsOf(placed: readonly Placed[], trims: Trims): readonly CallFacts[] {
  const newest = new Map<string, CallId>();
  return placed.map(({ part, request }) => {
    const { block, item } = part;
    const { use, file, key } = callWords(block);
    const before = newest.get(key);
    const cutAt = before === undefined ? undefined : trims.results.get(before);
    newest.set(key, block.callId);
    if (item?.archiveId !== undefined) newest.set(recallKey(shortId(item.archiveId)), block.callId);
    const again = cutAt !== undefined && item !== undefined && item.seq > cutAt;
    return { request, use, file, failed: item !== undefined && item.outcome !== 'ok', again };
  });
}

/** As `callWords` makes it of a recall. */
function recallKey(id: string): string {
  return `recall ${id}`;
}
