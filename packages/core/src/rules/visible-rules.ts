/**
 * Says which rules the model is shown now, decided by looking at the transcript (I5). Invariant: it agrees with `render`
 * on the same state.
 */
import type { SessionState } from '../session/state.ts';
import type { ShownRules } from './block.ts';

/** In the order of the prompt. What the system text holds, or a block under another name, has no text of its own here. */
export function visibleRules({ created, items, trims, compactions }: SessionState): readonly ShownRules[] {
  const frozen = created.rules.map(({ path, hash }) => ({ path, hash, text: '' }));
  const shown = items.flatMap((item) => {
    if (item.kind === 'note') return trims.clearedNotes.has(item.seq) ? [] : item.rules;
    if (item.kind !== 'toolResult') return [];
    return item.archiveId !== undefined && trims.results.has(item.callId) ? [] : item.rules;
  });
  return [...frozen, ...(compactions.newest?.rules ?? []), ...shown];
}

export interface Attachment<F> {
  readonly file: F;
  /** The same content stands in the transcript already, under another name. */
  readonly repeats: boolean;
}

/** Those of `found` that have to be attached: each content once, whatever the name under which it is found (P098, P100). */
export function rulesToAttach<F extends { readonly path: string; readonly hash: string }>(
  state: SessionState,
  found: readonly F[],
): readonly Attachment<F>[] {
  const shown = visibleRules(state);
  const hashes = new Set(shown.map(({ hash }) => hash));
  const names = new Set(shown.map(nameOf));
  return found.flatMap((file) => {
    if (names.has(nameOf(file))) return [];
    const repeats = hashes.has(file.hash);
    names.add(nameOf(file));
    hashes.add(file.hash);
    return [{ file, repeats }];
  });
}

function nameOf({ path, hash }: { readonly path: string; readonly hash: string }): string {
  return `${hash} ${path}`;
}
