/**
 * Decides which rules a trim or a compaction has to repeat: those that go with what it takes away while something under
 * their folder stays. Invariant: after it, the rules of every folder of which a whole result is shown are shown too, once.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import { compacted } from '../session/compactions.ts';
import type { SessionState } from '../session/state.ts';
import { addTrim } from '../session/trims.ts';
import type { ShownRules } from './block.ts';
import { holdsFor } from './folders.ts';
import { visibleRules } from './visible-rules.ts';

type TrimEvent = Extract<SessionEvent, { kind: 'context.trimmed' }>;
type CompactedEvent = Extract<SessionEvent, { kind: 'context.compacted' }>;

/** The trim with the rules that it repeats behind its note. */
export function carryOverTrim(state: SessionState, event: TrimEvent): TrimEvent {
  const after = { ...state, trims: addTrim(state.trims, event, state.lastSeq + 1) };
  const rules = carried(state, after);
  return rules.length === 0 ? event : { ...event, note: event.note + textOf(rules), rules: filesOf(rules) };
}

/** The same for a compaction, behind its summary. */
export function carryOverCompaction(state: SessionState, event: CompactedEvent): CompactedEvent {
  const after = { ...state, ...compacted(state, event, state.lastSeq + 1) };
  const rules = carried(state, after);
  return rules.length === 0 ? event : { ...event, summary: event.summary + textOf(rules), rules: filesOf(rules) };
}

function carried(before: SessionState, after: SessionState): readonly ShownRules[] {
  const left = new Set(visibleRules(after).map(({ hash }) => hash));
  const paths = wholePaths(after);
  const shown = visibleRules(before);
  const texts = new Map(shown.flatMap(({ hash, text }) => (text === '' ? [] : [[hash, text] as const])));
  const gone = shown.filter(({ hash, path }) => !left.has(hash) && paths.some((touched) => holdsFor(path, touched)));
  return uniqueNames(gone).map(({ path, hash }) => {
    const text = texts.get(hash) ?? '';
    texts.delete(hash);
    return { path, hash, text };
  });
}

function uniqueNames(rules: readonly ShownRules[]): readonly ShownRules[] {
  return [...new Map(rules.map((file) => [`${file.hash} ${file.path}`, file])).values()];
}

/** What whole results and arguments read or wrote. */
function wholePaths({ items, trims }: SessionState): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind !== 'toolResult') return [];
    return item.archiveId !== undefined && trims.results.has(item.callId) ? [] : (item.touched ?? []);
  });
}

function textOf(rules: readonly ShownRules[]): string {
  return rules.map(({ text }) => text).join('');
}

function filesOf(rules: readonly ShownRules[]) {
  return rules.map(({ path, hash, text }) => ({ path, hash, chars: text.length }));
}
