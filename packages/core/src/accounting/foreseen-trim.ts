/**
 * Foresees what a planned trim makes of the next prompt: the event that it will be is applied to the fold, and both
 * renderings are compared block by block. What stays has its measured size; what is left of the rest is guessed and
 * scaled as the text was that it is left of.
 */
import type { ArchiveId, CallId, TurnId } from '@zerd/protocol/common/ids';
import { clearableInput } from '../context/cleared.ts';
import type { TrimPlan } from '../context/relieve/plan-relief.ts';
import type { SessionView } from '../context/relieve/session-view.ts';
import { trimEvent } from '../context/relieve/trim-event.ts';
import type { PlannerView } from '../context/relieve/view.ts';
import { carryOverTrim } from '../rules/carry.ts';
import { applyEvent } from '../session/fold.ts';
import type { SessionState } from '../session/state.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';
import { guessBlock, type PlainBlock, sizeOf, type Weights } from './block-sizes.ts';
import { shownBlocks } from './laid-blocks.ts';
import type { MeasuredBlock, MeasuredPrompt } from './measured-prompt.ts';

export interface ForeseenTrim {
  readonly prompt: number;
  /** What of it the provider still holds. */
  readonly read: number;
}

/** Undefined: no request is old enough. */
export function foreseeTrim(
  state: SessionState,
  { parts, view }: SessionView,
  { plan, measured, turnId }: { readonly plan: TrimPlan; readonly measured: MeasuredPrompt; readonly turnId: TurnId },
): ForeseenTrim | undefined {
  const archived = archivedInputs(parts, plan);
  const event = trimEvent({ plan, parts, turnId, archived, endsReasoning: view.model.bindsReasoning });
  if (event === undefined) return undefined;
  const trimmed = applyEvent(state, { seq: state.lastSeq + 1, at: state.lastAt, event: carryOverTrim(state, event) });
  const after = shownBlocks(trimmed);
  const before = new Map(measured.blocks.map((block) => [block.key, block]));
  const sizes = after.map((block) => {
    const known = before.get(block.key);
    return known?.text === block.text ? known.tokens : sizeOf(guessBlock(block), measured.weights, known?.scale ?? 1);
  });
  const marked = placeOf(measured, plan.entryAt ?? (state.compactions.newest === undefined ? 'fixed' : 'digest'));
  return { prompt: measured.fixed + sum(sizes), read: heldOf(view, { marked, equal: equalPart(measured, after) }) };
}

/** Any name is as long as the one that they will get. */
const someArchive = '5f3a9c07d1e84b26'.repeat(4) as ArchiveId;

function archivedInputs(parts: SessionView['parts'], { inputs }: TrimPlan): ReadonlyMap<CallId, ArchiveId> {
  const wanted = new Set(inputs);
  const calls = parts.flatMap((part) => part.calls.map(({ block }) => block));
  const cut = calls.filter(
    ({ callId, name, inputJson }) => wanted.has(callId) && clearableInput(name, inputJson) !== undefined,
  );
  return new Map(cut.map(({ callId }) => [callId, someArchive]));
}

/** Where the entry ends that a request, the summary or the fixed part left. */
function placeOf({ fixed, blocks }: MeasuredPrompt, entry: number | 'fixed' | 'digest'): number {
  if (entry === 'fixed') return fixed;
  const held = entry === 'digest' ? blocks.slice(0, 1) : blocks.filter(({ stretch }) => stretch <= entry);
  return fixed + sum(held.map(({ tokens }) => tokens));
}

/** Tokens with which both begin. What is left of a result begins as it did. */
function equalPart({ fixed, blocks, weights }: MeasuredPrompt, after: readonly PlainBlock[]): number {
  const at = blocks.findIndex(({ text }, i) => text !== after[i]?.text);
  const [before, cut] = [blocks[at], after[at]];
  const whole = fixed + sum(blocks.slice(0, Math.max(0, at)).map(({ tokens }) => tokens));
  return before === undefined || before.key !== cut?.key ? whole : whole + headOf(before, cut, weights);
}

/** What frames a result in front of its text. */
const frameHead = 12;

function headOf({ text, scale }: MeasuredBlock, cut: PlainBlock, [ofText]: Weights): number {
  let common = 0;
  while (common < cut.text.length && cut.text.charCodeAt(common) === text.charCodeAt(common)) common += 1;
  return frameHead + estimateTokens(text.slice(0, common)) * ofText * scale;
}

function heldOf({ read, model }: PlannerView, { marked, equal }: Record<'marked' | 'equal', number>): number {
  const { cache, minPrefix } = model;
  const place = Math.min(read, cache.kind === 'marks' ? marked : equal);
  if (cache.kind === 'none' || place < minPrefix) return 0;
  // Where whole steps are held, half of one is lost on average: the place is an estimate, and may lie in the next one.
  return cache.kind === 'prefix' ? place - cache.step / 2 : place;
}

function sum(items: readonly number[]): number {
  return items.reduce((total, item) => total + item, 0);
}
