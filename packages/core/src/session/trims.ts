/** What trims have done to a session so far, as a fold: which texts are cut, and where the newest trim lies. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';

export interface Trims {
  /** Calls whose results are cut, with the seq of the trim that cut each. */
  readonly results: ReadonlyMap<CallId, number>;
  /** Calls whose arguments are cut, and the id under which they can be had. */
  readonly inputs: ReadonlyMap<CallId, ArchiveId>;
  /** The seq of the trim that cut each of them. */
  readonly inputsAt: ReadonlyMap<CallId, number>;
  /** Notes that are no longer sent, by seq. */
  readonly clearedNotes: ReadonlySet<number>;
  /** Reasoning of answers before this seq is no longer sent. */
  readonly reasoningFrom: number;
  readonly newest: NewestTrim | undefined;
}

export interface NewestTrim {
  readonly seq: number;
  /** What lies in front of this request is final. */
  readonly keptFrom: RequestId;
  readonly entryAt: RequestId | undefined;
  readonly predicted: TrimEvent['predicted'];
  /** Its effect is in the log. */
  readonly measured: boolean;
}

type TrimEvent = Extract<SessionEvent, { kind: 'context.trimmed' }>;

export const noTrims: Trims = {
  results: new Map(),
  inputs: new Map(),
  inputsAt: new Map(),
  clearedNotes: new Set(),
  reasoningFrom: 0,
  newest: undefined,
};

export function addTrim(before: Trims, event: TrimEvent, seq: number): Trims {
  const { calls, inputs, clearedNotes = [], keptFrom, entryAt, predicted, endsReasoning = false } = event;
  return {
    results: new Map([...calls.map((callId) => [callId, seq] as const), ...before.results]),
    inputs: new Map([...before.inputs, ...inputs.map(({ callId, archiveId }) => [callId, archiveId] as const)]),
    inputsAt: new Map([...inputs.map(({ callId }) => [callId, seq] as const), ...before.inputsAt]),
    clearedNotes: new Set([...before.clearedNotes, ...clearedNotes]),
    reasoningFrom: endsReasoning ? seq : before.reasoningFrom,
    newest: { seq, keptFrom, entryAt, predicted, measured: false },
  };
}

export function measureTrim(before: Trims): Trims {
  return before.newest === undefined ? before : { ...before, newest: { ...before.newest, measured: true } };
}
