/**
 * Decides which results stay whole although they are old, because they are likely to be asked for again: the last read of
 * a file that is being edited, the last failing output, and what was asked for again after it had been cleared.
 */

/** What of a call matters here. */
export interface CallFacts {
  /** Which answered request made it, from 0. */
  readonly request: number;
  /** The file that it concerns. */
  readonly file: string | undefined;
  readonly use: 'read' | 'edit' | 'run' | 'other';
  readonly failed: boolean;
  /** Its like had been cleared before it. */
  readonly again: boolean;
}

/** Requests for which an edit or a repeated question protects. */
export const protectedFor = 12;

/** For each call: how many requests must be answered before its result may be cut; 0: it is not protected. */
export function protect(calls: readonly CallFacts[]): readonly number[] {
  const until = calls.map((call) => (call.again ? endOf(call.request) : 0));
  const lastRead = new Map<string, number>();
  const lastEdit = new Map<string, number>();
  calls.forEach(({ file, use, failed, request }, index) => {
    if (file === undefined || failed) return;
    if (use === 'read') lastRead.set(file, index);
    if (use === 'edit') lastEdit.set(file, request);
  });
  for (const [file, index] of lastRead) until[index] = Math.max(until[index] ?? 0, endOf(lastEdit.get(file)));
  const failing = calls.findLastIndex((call) => call.use === 'run' && call.failed);
  if (failing >= 0) until[failing] = Number.POSITIVE_INFINITY;
  return until;
}

function endOf(request: number | undefined): number {
  return request === undefined ? 0 : request + protectedFor + 1;
}
