/**
 * Decides which files to look at before a request, and whether what is found there is news to the model. Invariants: only
 * files that it has seen are looked at (P028); what it was told is not told again (P026); its own writes are no news (P030).
 */
import type { SessionState } from '../../session/state.ts';
import { nothingTold } from '../../session/told-changes.ts';

/** What a file holds now, by content. */
export type OnDisk = { readonly kind: 'file'; readonly hash: string } | { readonly kind: 'gone' };

export type News = 'changed' | 'gone' | 'restored';

/** More files are not watched: the newest count. */
export const mostFiles = 256;

/** A file that keeps changing is told this often, until the model looks at it again. */
export const mostTimes = 3;

/** The files that the model has seen, the newest ones, by path. */
export function seenPaths(state: SessionState): readonly string[] {
  return [...state.seen.keys()].slice(-mostFiles);
}

/** `marked`: what a watcher saw change. The first request of a turn, and one after a command, looks at all of them. */
export function suspectedPaths(state: SessionState, marked: readonly string[]): readonly string[] {
  const seen = seenPaths(state);
  if (lookAgain(state)) return seen;
  const suspects = new Set(marked);
  // A watcher may lose a file that went away.
  return seen.filter((path) => suspects.has(path) || isToldGone(state, path));
}

/** Anything may have changed: a turn begins, a command ran, or a compaction took what was told. */
export function lookAgain(state: SessionState): boolean {
  return state.turn?.requests === 0 || state.lastRequest === undefined || ranCommand(state);
}

/** Undefined: the model knows, or was told often enough. */
export function newsOf(state: SessionState, path: string, now: OnDisk): News | undefined {
  const seen = state.seen.get(path);
  if (seen === undefined) return undefined;
  const told = state.told.get(path) ?? nothingTold;
  const hash = now.kind === 'file' ? now.hash : undefined;
  const believed = told.times === 0 ? seen.hash : told.hash;
  if (hash === believed || told.times >= mostTimes) return undefined;
  if (hash === undefined) return 'gone';
  if (hash === seen.hash) return 'restored';
  // That it has to be read again is known already.
  return told.times > 0 && told.hash !== undefined && !told.lines ? undefined : 'changed';
}

/** The content that the model knows, with which a change is compared. */
export function knownHash(state: SessionState, path: string): string | undefined {
  const { hash, lines } = state.told.get(path) ?? nothingTold;
  return lines ? hash : state.seen.get(path)?.hash;
}

function isToldGone(state: SessionState, path: string): boolean {
  const told = state.told.get(path) ?? nothingTold;
  return told.times > 0 && told.hash === undefined;
}

function ranCommand({ items }: SessionState): boolean {
  const answered = items.findLastIndex((item) => item.kind === 'answer');
  return items.slice(answered + 1).some((item) => item.kind === 'toolResult' && item.name === 'shell');
}
