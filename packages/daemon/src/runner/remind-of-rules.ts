/**
 * Does: looks whether the rules that a session began with still hold, at the beginning of a turn, after a command and
 * after a compaction, and appends one reminder of those that changed. The frozen text itself stays as it is (I3).
 */
import { readFile } from 'node:fs/promises';
import { lookAgain } from '@zerd/core/context/remind/news';
import { type ChangedRules, knownRootRules, rulesChanged } from '@zerd/core/rules/root-rules';
import { rulesOfRoot } from '../rules/find-rules.ts';
import { keepRules } from './attach-rules.ts';
import type { TurnContext } from './turn-context.ts';

export async function remindOfRules(turn: TurnContext): Promise<void> {
  const state = turn.state();
  if (!lookAgain(state)) return;
  const found = await Promise.all((await rulesOfRoot(turn.root, turn.rules)).map((rules) => keepRules(turn, rules)));
  const known = knownRootRules(state);
  const changed: ChangedRules[] = [];
  for (const now of found) {
    const hash = known.get(now.path);
    if (hash === now.hash) continue;
    changed.push({ path: now.path, before: hash === undefined ? undefined : await textOf(turn, hash), now });
  }
  for (const [path, hash] of known)
    if (hash !== undefined && !found.some((now) => now.path === path))
      changed.push({ path, before: undefined, now: undefined });
  const reminder = rulesChanged(turn.turnId, changed, turn.rules.root);
  if (reminder !== undefined) await turn.append([reminder]);
}

async function textOf({ archive }: TurnContext, hash: string): Promise<string | undefined> {
  const stored = await archive.locate(hash);
  return stored && readFile(stored.file, 'utf8');
}
