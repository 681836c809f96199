/**
 * Decides what a request without an answer may be charged for. Who leaves a request that was sent pays for what its
 * provider did by then: the prompt at least, whether its answer had begun or not (novita's table of 2026-11: 499, the
 * client left: charged, 4xx and 5xx: not; TrueFoundry's measured default of 2026-11: the same). What was refused, told as
 * failed or cut off unanswered is not charged.
 */
import { type ModelEvent, unreported } from '@zerd/core/model/answer';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Phase } from '../failure/thrown.ts';

/** `terminal` undefined: it was abandoned. Undefined: nothing, as far as anybody knows. */
export function chargedFor(
  phase: Phase,
  terminal: ModelEvent | undefined,
  reported: Usage | undefined,
): Usage | undefined {
  if (terminal?.kind === 'finished') return undefined;
  return reported ?? (mayBeCharged(phase, terminal) ? unreported : undefined);
}

function mayBeCharged(phase: Phase, terminal: ModelEvent | undefined): boolean {
  const code = terminal?.kind === 'failed' ? terminal.failure.code : undefined;
  if (code === undefined || code === 'provider_timeout') return phase !== 'connecting';
  return code === 'provider_truncated' && phase === 'reading';
}
