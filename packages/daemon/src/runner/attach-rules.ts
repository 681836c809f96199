/**
 * Does: puts the rules of the folders that a call touched behind its result, those that the transcript does not show.
 * Invariant: what is attached is archived first, so that what is cut of it can be recalled.
 */
import { type FoundRules, rulesBlock } from '@zerd/core/rules/block';
import { foldersAbove } from '@zerd/core/rules/folders';
import { rulesToAttach } from '@zerd/core/rules/visible-rules';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type RulesText, rulesOfFolder } from '../rules/find-rules.ts';
import type { TurnContext } from './turn-context.ts';

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

export async function attachRules(turn: TurnContext, event: Finished): Promise<Finished> {
  const folders = [...new Set(touchedBy(event).flatMap(foldersAbove))].slice(-mostFolders);
  const found = await Promise.all(folders.map((folder) => rulesOfFolder(turn.root, folder)));
  const kept = await Promise.all(found.filter((rules) => rules !== undefined).map((rules) => keepRules(turn, rules)));
  const nearest = rulesToAttach(turn.state(), kept).slice(-mostAttached);
  const attached = rulesToAttach(
    turn.state(),
    nearest.map(({ file }) => file),
  );
  if (attached.length === 0) return event;
  let left = turn.rules.allFolders;
  const blocks = attached.map(({ file, repeats }) => {
    if (repeats) return { file: { path: file.path, hash: file.hash, chars: 0 }, text: '' };
    const block = rulesBlock(file, Math.min(turn.rules.folder, left));
    left = Math.max(leastShown, left - Buffer.byteLength(block.text));
    return block;
  });
  return {
    ...event,
    shown: event.shown + blocks.map(({ text }) => text).join(''),
    rules: blocks.map(({ file }) => file),
  };
}

/** Of a path with more folders those that are nearest to the file are looked into. */
const mostFolders = 64;

/** Files that one call brings: the nearest ones. What is left comes with the next call that touches its folder (I4). */
const mostAttached = 16;

/** Of the last of many files that one call brings: enough to see what they are about. */
const leastShown = 400;

/** Archived, and named by that. */
export async function keepRules(turn: Pick<TurnContext, 'archive'>, { path, text }: RulesText): Promise<FoundRules> {
  const archiveId = await turn.archive.put(text);
  return { path, text, hash: archiveId, archiveId };
}

function touchedBy({ outcome, files = [], reads = [] }: Finished): readonly string[] {
  if (outcome !== 'ok') return [];
  // Archived bodies and what lies outside have no folders here.
  return [...files, ...reads].map(({ path }) => path).filter((path) => !path.startsWith('archive:'));
}
