/** Words the lines that name what is left out and how to get it. Invariant: at most `noticeBytes` each. */
import { counted, formatCount } from './format-count.ts';

/** Of a larger body the archive keeps the first and the last half of this. */
export const archiveLimit = 64 * 1024 * 1024;

/** What a notice may take, beside the id that it names. */
export const noticeBytes = 240;

export interface LeftOut {
  readonly lines: number;
  readonly bytes: number;
  /** The first line of it in the whole body, and the last. */
  readonly from: number;
  readonly to: number;
}

/** `[940 lines (41-980), 61,234 bytes left out: recall {"id":"3f2a9c01d2e4","offset":41,"limit":100} or {..., "pattern"}]` */
export function middleNotice(left: LeftOut, id: string | undefined, partly: boolean, trouble: boolean): string {
  const what = `${counted(left.lines, 'line')} (${left.from}-${left.to}), ${formatCount(left.bytes)} bytes left out`;
  const how = id === undefined ? '' : `: recall {"id":"${id}","offset":${left.from},"limit":100} or "pattern"`;
  const kept = partly ? '; only the first and last 32 MiB are kept' : '';
  return `[${what}${how}${kept}${trouble ? '; errors in it' : ''}]`;
}

/** For a body whose lines are all there, but not all of them whole. */
export function shortenedNotice(id: string | undefined): string {
  return id === undefined ? '[shortened]' : `[shortened; the whole: recall {"id":"${id}"} with "pattern" or "offset"]`;
}
