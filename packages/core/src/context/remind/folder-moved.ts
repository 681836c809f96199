/**
 * Decides what the model is told of a working folder that was moved since it heard of it: one line, once. The facts in front
 * of the first message name the folder, and stay as they were sent (I3).
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { SessionState } from '../../session/state.ts';

const line = /^Working folder: (.*)$/m;

/** As the facts of the moment say it. */
export function folderLine(root: string): string {
  return `Working folder: ${root}`;
}

export function folderInFacts(facts: string | undefined): string | undefined {
  return facts === undefined ? undefined : line.exec(facts)?.[1];
}

/** The same facts, of the folder as it is now. */
export function withFolder(facts: string, root: string | undefined): string {
  return root === undefined ? facts : facts.replace(line, () => folderLine(root));
}

/** Undefined: there is nothing to tell. */
export function folderMoved(
  { toldFolder }: Pick<SessionState, 'toldFolder'>,
  root: string,
  turnId: TurnId,
): Extract<SessionEvent, { kind: 'reminder.added' }> | undefined {
  if (toldFolder === undefined || toldFolder === root) return undefined;
  const text = `The working folder was moved: it is ${root} now. Paths that begin with ${toldFolder} are not there any more.`;
  return { kind: 'reminder.added', turnId, text, about: { kind: 'folderMoved', folder: root } };
}
