/** Does: before a request, tells the model of the mode that the user has chosen since it was last asked. */
import { modeChanged } from '@zerd/core/context/remind/mode-changed';
import type { TurnContext } from './turn-context.ts';

export async function remindOfMode(turn: TurnContext): Promise<void> {
  const reminder = modeChanged(turn.state(), turn.turnId);
  if (reminder !== undefined) await turn.append([reminder]);
}
