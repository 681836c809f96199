/** How a turn ended, in words. Invariant: what its failure says already is not said twice. */
import type { Failure } from './event.ts';

export function endText(outcome: string, failure?: Pick<Failure, 'message'>): string {
  const { message = outcome } = failure ?? {};
  return message.startsWith(outcome) ? message : `${outcome}: ${message}`;
}

/** The end of its turn, or how that goes on, says why: the request needs no line of its own. */
export function isInterrupted({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'interrupted';
}
