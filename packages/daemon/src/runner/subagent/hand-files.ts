/**
 * Does: finds the files that a sub-agent is handed with its task, as they are on disk now. Invariant: nothing is handed
 * over that the parent's transcript does not show at this moment, or that has changed since.
 */
import { visibleRanges } from '@zerd/core/context/repeat/known';
import { visibleResults } from '@zerd/core/context/visible';
import type { SessionState } from '@zerd/core/session/state';
import { type HeldFile, handOver, type Wanted, wantedFiles } from '@zerd/core/subagents/handed-files';
import { linesOf } from '@zerd/core/text/lines';
import type { HandedFiles } from '@zerd/protocol/common/event';
import { resolvePath } from '../../files/resolve.ts';
import { shownText } from '../../files/shown-text.ts';
import { loadText } from '../../files/text-file.ts';
import type { TurnContext } from '../turn-context.ts';

type Asking = Pick<TurnContext, 'root' | 'signal' | 'state'>;

/** Undefined: there are none. */
export async function handFiles(turn: Asking, prompt: string): Promise<HandedFiles | undefined> {
  const state = turn.state();
  const wanted = wantedFiles(prompt, promptsOf(state), state);
  const held = await Promise.all(wanted.map((file) => holdFile(turn, state, file)));
  return handOver(held.filter((file) => file !== undefined));
}

/** The tasks of the same answer. */
function promptsOf({ openCalls }: SessionState): readonly string[] {
  return openCalls.flatMap(({ name, inputJson, broken }) => {
    if (name !== 'task' || broken !== undefined) return [];
    const { prompt } = JSON.parse(inputJson) as { readonly prompt?: unknown };
    return typeof prompt === 'string' ? [prompt] : [];
  });
}

async function holdFile({ root, signal }: Asking, state: SessionState, file: Wanted): Promise<HeldFile | undefined> {
  const copy = state.known.get(file.path)?.now;
  const target = copy && (await resolvePath(root, file.path));
  if (copy === undefined || !target?.ok || target.path !== file.path) return undefined;
  const loaded = await loadText(target.real, target.path, signal);
  if (!loaded.ok || loaded.hash !== copy.hash) return undefined;
  const ranges = visibleRanges(copy, visibleResults(state));
  return { ...file, hash: copy.hash, lines: linesOf(shownText(file.path, loaded).text), ranges };
}
