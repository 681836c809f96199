/**
 * Decides whether a call may start a sub-agent, and with which mode. Invariants: no more of them run at once, and none
 * lies deeper, than the limits say, whatever a model asks for; a sub-agent may never do more than its parent.
 */
import type { Mode } from '@zerd/protocol/common/mode';

export interface SubagentLimits {
  /** Those that run at the same time for one session, those of its sub-agents included. */
  readonly atOnce: number;
  /** 1: a sub-agent has none of its own. */
  readonly depth: number;
}

export const usualLimits: SubagentLimits = Object.freeze({ atOnce: 8, depth: 1 });

/** What the model is told; undefined: it may. `depth` is that of the asking session, 0 at the top. */
export function refuseStart(limits: SubagentLimits, depth: number, running: number): string | undefined {
  if (depth >= limits.depth)
    return 'Not started: this session is a sub-agent itself and has none of its own. Do this work here.';
  if (running < limits.atOnce) return undefined;
  return `Not started: ${limits.atOnce} sub-agents run at once at most. Read what they bring, then call again for what is still needed.`;
}

/** Without `write` it looks and changes nothing. */
export function childMode(parent: Mode, write: boolean): Mode {
  return write ? parent : 'read-only';
}

/** From the narrowest to the widest. */
const order: readonly Mode[] = ['read-only', 'ask', 'edit', 'full'];

export function narrower(a: Mode, b: Mode): Mode {
  return order.indexOf(a) <= order.indexOf(b) ? a : b;
}
