/**
 * Makes the event of a trim out of its plan: which calls, the note for the model, and what is predicted. Invariant: what
 * the event says is enough to render the session, without the plan and without the model's catalogue row.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, TurnId } from '@zerd/protocol/common/ids';
import type { Figures, TrimPlan } from './plan-relief.ts';
import type { CalledPart, RequestPart } from './transcript.ts';
import { trimNote } from './trim-note.ts';

type TrimEvent = Extract<SessionEvent, { kind: 'context.trimmed' }>;

export interface TrimParts {
  readonly plan: TrimPlan;
  readonly parts: readonly RequestPart[];
  readonly turnId: TurnId;
  /** Under which the cut arguments of each call were archived. */
  readonly archived: ReadonlyMap<string, ArchiveId>;
  readonly endsReasoning: boolean;
}

/** Undefined: no request is old enough to trim in front of one. */
export function trimEvent({ plan, parts, turnId, archived, endsReasoning }: TrimParts): TrimEvent | undefined {
  const idOf = (index: number | undefined) => parts[index ?? -1]?.request?.requestId;
  const keptFrom = idOf(plan.keptFrom);
  const entryAt = idOf(plan.entryAt);
  if (keptFrom === undefined) return undefined;
  const calls = parts.flatMap((part) => part.calls);
  const cut = chosen(calls, plan.results);
  const clearedNotes = plan.lists.flatMap((index) => (parts[index]?.notes ?? []).map((note) => note.seq));
  return {
    kind: 'context.trimmed',
    turnId,
    reason: plan.reason,
    calls: cut.map(({ block }) => block.callId),
    inputs: chosen(calls, plan.inputs).flatMap(({ block }) => inputOf(block.callId, archived)),
    note: trimNote(cut, calls),
    ...(clearedNotes.length === 0 ? {} : { clearedNotes }),
    keptFrom,
    ...(entryAt === undefined ? {} : { entryAt }),
    ...(endsReasoning ? { endsReasoning } : {}),
    predicted: whole(plan.figures),
  };
}

function chosen(calls: readonly CalledPart[], ids: readonly string[]): readonly CalledPart[] {
  const wanted = new Set(ids);
  return calls.filter(({ block }) => wanted.has(block.callId));
}

function inputOf(callId: CallId, archived: ReadonlyMap<string, ArchiveId>): TrimEvent['inputs'] {
  const archiveId = archived.get(callId);
  return archiveId === undefined ? [] : [{ callId, archiveId }];
}

/** The log keeps whole tokens. */
function whole(figures: Figures): TrimEvent['predicted'] {
  const { cut, read, kept, rewritten, rent, price, costKept, costTrimmed } = figures;
  const of = Math.round;
  return {
    cut: of(cut),
    read: of(read),
    kept: of(kept),
    rewritten: of(rewritten),
    rent: of(rent),
    price: of(price),
    costKept: of(costKept),
    costTrimmed: of(costTrimmed),
  };
}
