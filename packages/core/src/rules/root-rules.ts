/**
 * What of its rules a session begins with, as part of its frozen system text, and how the model is told when they change
 * later. Invariant: a change is told once, and again only when a compaction took what was told.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { RulesFile } from '@zerd/protocol/common/rules-file';
import { unifiedHunks } from '../context/repeat/unified.ts';
import type { SessionState } from '../session/state.ts';
import { changedBlocks } from '../text/line-diff.ts';
import { linesOf } from '../text/lines.ts';
import { type FoundRules, rulesBlock } from './block.ts';

export interface FrozenRules {
  /** What the system text gets behind all else; '' when there are no rules. */
  readonly text: string;
  readonly files: readonly RulesFile[];
}

/** `cap`: bytes of each file that are shown. The same content is shown once. */
export function freezeRules(found: readonly FoundRules[], cap: number): FrozenRules {
  const own = found.filter(({ hash }, index) => found.findIndex((other) => other.hash === hash) === index);
  if (own.length === 0) return { text: '', files: [] };
  const blocks = own.map((rules) => rulesBlock(rules, cap));
  return {
    text: `\n\nRules of the user and the project; those of a folder come with the first result from it:${blocks.map(({ text }) => text).join('')}`,
    files: blocks.map(({ file: { chars: _, ...file } }) => file),
  };
}

/** The paths that the session began with and their content as the model knows it by now; undefined: it is gone. */
export function knownRootRules({ created, rulesTold }: SessionState): ReadonlyMap<string, string | undefined> {
  return new Map([...created.rules.map(({ path, hash }) => [path, hash] as const), ...rulesTold]);
}

/** A file of rules that differs from what the model knows. `now` undefined: it is gone. */
export interface ChangedRules {
  readonly path: string;
  readonly before: string | undefined;
  readonly now: FoundRules | undefined;
}

type Reminder = Extract<SessionEvent, { kind: 'reminder.added' }>;

export function rulesChanged(turnId: TurnId, changed: readonly ChangedRules[], cap: number): Reminder | undefined {
  if (changed.length === 0) return undefined;
  return {
    kind: 'reminder.added',
    turnId,
    text: changed.map((file) => wordsOf(file, cap)).join('\n'),
    about: {
      kind: 'rulesChanged',
      files: changed.map(({ path, now }) => ({ path, ...(now === undefined ? {} : { hash: now.hash }) })),
    },
  };
}

function wordsOf({ path, before, now }: ChangedRules, cap: number): string {
  if (now === undefined) return `${path} is gone: its rules no longer hold.`;
  const { text } = rulesBlock(now, cap);
  if (before === undefined) return `There are rules now, and they hold from here on:${text}`;
  const diff = diffOf(before, now.text);
  return diff !== undefined && diff.length < text.length / 2
    ? `The rules of ${path} changed; from here on this holds:\n${diff}`
    : `The rules of ${path} changed; instead of what was given at the beginning this holds:${text}`;
}

function diffOf(before: string, now: string): string | undefined {
  const [old, fresh] = [linesOf(before), linesOf(now)];
  const blocks = changedBlocks(old, fresh);
  return blocks === undefined || blocks.length === 0 ? undefined : unifiedHunks(old, fresh, blocks, 1).join('\n');
}
