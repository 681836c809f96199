/** What the daemon waits for in the session that is shown, asked for while a turn runs. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Wait } from '@zerd/protocol/common/methods';
import type { ZerdClient } from '@zerd/protocol/node/client';

export interface WaitsWatch {
  /** Undefined: nothing runs. */
  watch(sessionId: SessionId | undefined): void;
  /** 'waiting for X, 3 s of 60 s'; undefined: for nothing that takes long. */
  says(now: number): string | undefined;
}

const periodMs = 1_000;
/** Shorter waits are no news. */
const shownAfterMs = 2_000;

export function createWaitsWatch(parts: {
  readonly client: () => Promise<ZerdClient>;
  readonly changed: () => void;
}): WaitsWatch {
  let session: SessionId | undefined;
  let waits: readonly Wait[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const { waits: all } = await (await parts.client()).request('daemon/status', {});
    waits = all.filter(({ sessionId }) => sessionId === session);
    parts.changed();
  }

  function again(): void {
    timer = undefined;
    if (session === undefined) return;
    // A daemon that is busy or starting anew is asked again.
    look()
      .catch(() => undefined)
      .finally(() => {
        timer ??= setTimeout(again, periodMs);
        timer.unref();
      });
  }

  return {
    watch(next) {
      session = next;
      if (next === undefined) waits = [];
      else if (timer === undefined) {
        timer = setTimeout(again, periodMs);
        timer.unref();
      }
    },
    says(now) {
      return sayWait(waits, now);
    },
  };
}

/** The daemon gives what holds up the rest first, then the oldest. */
export function sayWait(waits: readonly Wait[], now: number): string | undefined {
  const told = waits.find(({ sinceAt }) => now - sinceAt >= shownAfterMs);
  if (told === undefined) return undefined;
  const seconds = (ms: number) => Math.round(ms / 1000);
  const of = told.deadlineAt === undefined ? '' : ` of ${atMost(told.deadlineAt - told.sinceAt)}`;
  return `waiting for ${told.for}, ${seconds(now - told.sinceAt)} s${of}`;
}

const hourMs = 60 * 60_000;

function atMost(ms: number): string {
  return ms < 2 * hourMs ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / hourMs)} h`;
}
