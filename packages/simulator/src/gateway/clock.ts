/** The gateway's time: the real one unless a test owns it. Scripts move it forward without waiting. */

export interface GatewayClock {
  /** Milliseconds of the epoch. */
  now(): number;
}

export interface VirtualClock extends GatewayClock {
  advance(ms: number): void;
}

/** The given clock, moved forward by what scripts ask for. */
export function createVirtualClock(base: GatewayClock = { now: () => Date.now() }): VirtualClock {
  let skew = 0;
  return {
    now: () => base.now() + skew,
    advance(ms) {
      skew += ms;
    },
  };
}
