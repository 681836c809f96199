/**
 * Decides when a daemon that ended is started again. Invariant (F-36): one that keeps failing is tried ever more rarely
 * and, after five failures in ten minutes, not again until it is asked for; one that ended as it should is left alone.
 */
export interface RestartState {
  /** When it failed lately, oldest first. */
  readonly failures: readonly number[];
}

export const noFailures: RestartState = { failures: [] };

export type RestartDecision =
  | { readonly kind: 'restart'; readonly inMs: number; readonly state: RestartState }
  /** It ended as it should, or another process serves the repository. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'giveUp'; readonly times: number };

const spanMs = 600_000;
const most = 5;
const firstMs = 1_000;

/** `code` null: it was killed. `quiet`: what it exits with when there is nothing to do. */
export function afterExit(
  { failures }: RestartState,
  { code, now, quiet }: { readonly code: number | null; readonly now: number; readonly quiet: readonly number[] },
): RestartDecision {
  if (code !== null && quiet.includes(code)) return { kind: 'leave' };
  const recent = [...failures.filter((at) => now - at < spanMs), now];
  if (recent.length >= most) return { kind: 'giveUp', times: recent.length };
  return { kind: 'restart', inMs: firstMs * 4 ** (recent.length - 1), state: { failures: recent } };
}
