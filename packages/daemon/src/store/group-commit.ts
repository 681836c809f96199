/**
 * Collects what arrives within a window and commits it at once. Invariants: one commit at a time, in the order of
 * arrival; everyone of a failed batch is refused and the next batch begins afresh.
 */
import type { Clock } from '@zerd/protocol/node/clock';

export interface GroupCommit<M, R> {
  /** Settles after the commit of `member` and after `committed` was told of it. */
  submit(member: M): Promise<R>;
  /** Settles when everything that was submitted is settled. */
  drain(): Promise<void>;
}

export interface GroupCommitWishes<M, R> {
  /** Keeps all members or rejects and keeps none; the answers are in the order of the members. */
  readonly commit: (members: readonly M[]) => Promise<readonly R[]>;
  /** Called in the order of the log. Must not throw. */
  readonly committed: (member: M, result: R) => void;
  readonly clock: Clock;
  /** 0: as soon as the present turn of the event loop is over. */
  readonly windowMs: number;
}

interface Waiting<M, R> {
  readonly member: M;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit<M, R>(wishes: GroupCommitWishes<M, R>): GroupCommit<M, R> {
  const { commit, committed, clock, windowMs } = wishes;
  let collected: Waiting<M, R>[] = [];
  let flushing: Promise<void> | undefined;

  function submit(member: M): Promise<R> {
    return new Promise((resolve, reject) => {
      collected.push({ member, resolve, reject });
      flushing ??= flush();
    });
  }

  async function flush(): Promise<void> {
    while (collected.length > 0) {
      await windowEnd();
      const batch = collected;
      collected = [];
      await settle(batch);
    }
    flushing = undefined;
  }

  function windowEnd(): Promise<void> {
    return new Promise((resolve) => {
      if (windowMs > 0) clock.setTimer(windowMs, resolve);
      else setImmediate(resolve);
    });
  }

  async function settle(batch: readonly Waiting<M, R>[]): Promise<void> {
    const results = await commit(batch.map(({ member }) => member)).catch((error: unknown) => {
      for (const { reject } of batch) reject(error);
    });
    results?.forEach((result, index) => {
      const waiting = batch[index];
      if (waiting !== undefined) committed(waiting.member, result);
      waiting?.resolve(result);
    });
  }

  async function drain(): Promise<void> {
    while (flushing !== undefined) await flushing;
  }

  return { submit, drain };
}
