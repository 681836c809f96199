/** Writes the words that a shell may offer, one a line; zsh also takes what each means, after a colon. */
import type { SessionRow } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Following } from '../following.ts';

/** An id that a shell would take for more than a word is left out. */
export function completionLines(
  { declared, topics }: Pick<Following, 'declared' | 'topics'>,
  sessions: readonly Pick<SessionRow, 'sessionId' | 'title'>[],
  shell: string | undefined,
): string {
  const ids = sessions.filter(({ sessionId }) => /^ses_\w+$/.test(sessionId));
  const meant = [...Object.entries(topics), ...ids.map(({ sessionId, title }) => [sessionId, title] as const)];
  // yargs tells zsh in this very way.
  const zsh = shell?.includes('zsh') === true;
  const words = meant.map(([word, says]) => (zsh ? `${word}:${sanitiseLine(says)}` : word));
  return [...declared, ...words].map((line) => `${line}\n`).join('');
}
