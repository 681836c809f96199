/** The words that say how to get on: in the empty input, and at the end of the status line. Pure. */
import type { Status } from './status.ts';

/** `asks`: for a word, or for a yes or a no. */
export function inputHint({ turnId }: Pick<Status, 'turnId'>, asks: 'word' | 'yesOrNo' | undefined): string {
  if (asks === 'word') return 'your answer';
  if (asks === 'yesOrNo') return 'y allows, n refuses; or say more, and Enter steers';
  if (turnId !== undefined) return 'say more: Enter steers, Tab queues, Esc interrupts';
  return 'say what to do, / for commands, @ for files';
}

/** After a Ctrl-C that could be meant for the turn, for the program, or for neither. */
export function stopText({ turnId }: Pick<Status, 'turnId'>): string {
  const stops = turnId === undefined ? '' : 'Esc interrupts. ';
  return `${stops}Ctrl-C again leaves; what runs goes on.`;
}

export interface Waiting {
  /** Whether the end of the transcript is seen. */
  readonly follows: boolean;
  /** What takes long, the most important first; undefined: nothing. */
  readonly waits: readonly (string | undefined)[];
  /** Milliseconds of the epoch. */
  readonly now: number;
}

export function statusSays(
  { turnId, turnStartedAt }: Pick<Status, 'turnId' | 'turnStartedAt'>,
  { follows, waits, now }: Waiting,
): string {
  if (!follows) return 'scrolled: Ctrl-End';
  const waited = waits.find((one) => one !== undefined);
  if (waited !== undefined) return waited;
  return turnId === undefined ? '/help' : `working ${Math.max(0, Math.round((now - turnStartedAt) / 1000))} s`;
}
