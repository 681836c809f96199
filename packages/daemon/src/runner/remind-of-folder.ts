/** Does: before a request, tells the model that the working folder was moved since it last heard of it. */
import { folderMoved } from '@zerd/core/context/remind/folder-moved';
import type { TurnContext } from './turn-context.ts';

export async function remindOfFolder(turn: TurnContext): Promise<void> {
  const reminder = folderMoved(turn.state(), turn.root, turn.turnId);
  if (reminder !== undefined) await turn.append([reminder]);
}
