/**
 * Puts a summary together: what the model wrote between what the machine kept. It is the first thing that the model reads
 * of the session from then on, word for word, until the next compaction.
 */
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { utf8Length, wellFormed } from '../../text/utf8.ts';
import { shortId } from '../cleared.ts';
import { headOf } from './clip.ts';

/** Prose beyond this is no summary; less is always let through. */
export const mostProseBytes = 16_000;
const leastProseBytes = 2_500;

export interface SummaryParts {
  /** What the machine kept. */
  readonly facts: string;
  readonly prose: string;
  /** Of what the summary takes the place of: it should not be longer itself. */
  readonly replacedBytes: number;
  /** How many calls are summed up: later results may name one of them. */
  readonly calls: number;
  readonly archiveId: ArchiveId | undefined;
}

export function composeSummary({ facts, prose, replacedBytes, calls, archiveId }: SummaryParts): string {
  const most = Math.min(mostProseBytes, Math.max(leastProseBytes, replacedBytes - utf8Length(facts)));
  const written = headOf(wellFormed(prose).trim(), most);
  return [intro(calls, archiveId), facts, `## WHERE THE WORK STANDS\n${written}`, ending].join('\n\n');
}

/** In the place of words that no model wrote. */
export const wordlessProse =
  'No words were written about the newest part. Go by what the user asked, by the files and commands above, and look again where they do not tell.';

function intro(calls: number, archiveId: ArchiveId | undefined): string {
  const gone =
    calls === 0 ? '' : ` Calls 1 to ${calls} are no longer shown: where a result names one of them, its text`;
  const how = archiveId === undefined ? 'is gone' : `is in the archive`;
  const whole =
    archiveId === undefined ? '' : ` All that was replaced: recall {"id":"${shortId(archiveId)}"} with "pattern".`;
  const told = gone === '' ? '' : `${gone} ${how}; read a file again before you rely on more of it than is below.`;
  return `[Summary of the session so far. Quotations are word for word.${told}${whole}]`;
}

const ending =
  'Go on from here with what the user asked for last. What is done stays done: do not run or edit it again without a reason.';
