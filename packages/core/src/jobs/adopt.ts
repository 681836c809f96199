/**
 * Decides what has become of a command when a daemon finds its folder after a restart. A process is the command's only
 * if process id, start time and boot are the same, or if it carries the command's random mark (F-23). Invariant: what was
 * written down about an end counts before anything that can be seen, and what is not known is called lost.
 */
export interface CommandRecord {
  readonly pid: number;
  readonly startedAt: number;
  readonly bootId: string;
}

export interface Sight {
  /** What the host wrote when it started the command; undefined: it never came to that. */
  readonly started: CommandRecord | undefined;
  /** It wrote down how the command ended. */
  readonly ended: boolean;
  /** It wrote down that nothing of it is left. */
  readonly gone: boolean;
  readonly bootId: string;
  /** When the process that has the command's id now was started; undefined: there is none. */
  readonly processStartedAt: number | undefined;
  /** Living processes of its tree. */
  readonly alive: number;
  /** The host that started it lives. */
  readonly hostAlive: boolean;
}

export type Adoption =
  /** Its end will be written down. */
  | { readonly kind: 'runs' }
  /** It ended, and this many processes that it started live. */
  | { readonly kind: 'ended'; readonly alive: number }
  /** Something of it lives, but how it ends will not be known. */
  | { readonly kind: 'runsUnwatched'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

export function decideAdoption(sight: Sight): Adoption {
  const { started, bootId } = sight;
  const sameBoot = started === undefined || started.bootId === bootId;
  const alive = sameBoot ? sight.alive : 0;
  if (sight.ended) return { kind: 'ended', alive: sight.gone ? 0 : alive };
  if (!sameBoot) return { kind: 'lost', reason: 'the machine was started anew meanwhile' };
  if (sight.hostAlive && started !== undefined) return { kind: 'runs' };
  if (alive > 0) return { kind: 'runsUnwatched', reason: 'the process that watched it is gone' };
  return { kind: 'lost', reason: whyLost(sight) };
}

function whyLost({ started, processStartedAt }: Sight): string {
  if (started === undefined) return 'it is not known whether it began';
  if (processStartedAt !== undefined && processStartedAt !== started.startedAt)
    return 'it is gone, and so is the process that watched it; its process id belongs to another process now';
  return 'it is gone, and so is the process that watched it';
}
