/**
 * Words what is said about a sub-agent: its title, the lines that it is given before its task, and what its parent is
 * told of it. Invariant: whatever came of it, the session is named in which the whole can be read.
 */
import type { TurnOutcome } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import { formatUsd } from '../accounting/format-usd.ts';
import type { SessionState } from '../session/state.ts';
import { clipUtf8, utf8Length } from '../text/utf8.ts';
import { resultsLeft } from './results-left.ts';

/** Bytes. */
const longestTitle = 80;

/** One line: as the model wishes, else the first line of the task. */
export function titleOf(title: string | undefined, prompt: string): string {
  const wished = title === undefined || title.trim() === '' ? prompt : title;
  const line = wished.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  const plain = line.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return utf8Length(plain) <= longestTitle ? plain : `${clipUtf8(plain, longestTitle - 3).trimEnd()}...`;
}

/** Goes in front of the task, with the facts of the moment. */
export function situation(mode: Mode): string {
  const reads = mode === 'read-only' ? '\nRead-only: files cannot be changed and commands are not run.' : '';
  return `You work as a sub-agent: only your last answer goes back to whoever gave this task, who sees nothing else. Say in it what was asked for, with places as path:line.${reads}`;
}

/** What a session spent. */
export interface Spent {
  readonly requests: number;
  readonly costPico: number;
  readonly unpricedRequests: number;
}

/** The line in front of the answer; it is never cut. */
export function headOf(title: string, sessionId: SessionId, { requests, costPico, unpricedRequests }: Spent): string {
  const cost = unpricedRequests > 0 ? 'unpriced' : formatUsd(costPico);
  return `sub-agent ${JSON.stringify(title)}, ${sessionId}: ${requests} ${requests === 1 ? 'request' : 'requests'}, ${cost}`;
}

/** The last words of the session. */
export function lastAnswer({ items }: SessionState): string {
  const answers = items.filter((item) => item.kind === 'answer');
  const said = answers.findLast(({ content }) => content.some((block) => block.kind === 'text' && block.text.trim()));
  return (said?.content ?? [])
    .flatMap((block) => (block.kind === 'text' && block.text.trim() !== '' ? [block.text] : []))
    .join('\n\n');
}

/** Paths that one line names. */
const mostPaths = 12;

/** What the sub-agent looked at or changed; '' when nothing. */
export function filesLine({ seen }: SessionState): string {
  const files = [...seen.values()];
  const named = (how: 'read' | 'written', word: string) => {
    const paths = files.filter((file) => file.how === how).map(({ path }) => path);
    if (paths.length === 0) return [];
    const more = paths.length > mostPaths ? ` and ${paths.length - mostPaths} more` : '';
    return [`${word} ${paths.slice(0, mostPaths).join(', ')}${more}`];
  };
  const parts = [...named('written', 'changed'), ...named('read', 'read')];
  return parts.length === 0 ? '' : `[it ${parts.join('; ')}]`;
}

/** What the parent is told of one that did not come to its end. */
export function brokenOff(outcome: TurnOutcome, why: string | undefined, said: string): string {
  const how = outcome === 'needs-answer' ? 'stopped, because nobody could be asked' : 'did not come to its end';
  const reason = why === undefined ? '' : `: ${why}`;
  const found = said === '' ? ' It had said nothing yet.' : ` What it had said last:\n${said}`;
  return `The sub-agent ${how}${reason}${/[.!?]$/.test(reason) ? '' : '.'}${found}`;
}

/** Bytes of the words of one that a crash ended. */
const mostLastWords = 2_000;

/** The result of a call whose sub-agent a crash ended: nothing of it is lost, and nothing is run again. */
export function lostWithDaemon(title: string, sessionId: SessionId, state: SessionState): string {
  const said = lastAnswer(state);
  const last = said === '' ? '' : ` What it had said last:\n${clipUtf8(said, mostLastWords)}`;
  const told = `Interrupted: the daemon stopped while the sub-agent ${JSON.stringify(title)} worked. What it did until then is kept in ${sessionId}, and may have had an effect.${last}`;
  return [told, filesLine(state), resultsLeft(state)].filter((part) => part !== '').join('\n');
}
