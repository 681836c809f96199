/** Does: brings what the user said to the running turn into the conversation, in order, right before the next request. */
import { steersOf } from '@zerd/core/session/queue';
import type { TurnContext } from '../turn-context.ts';

export async function submitSteers({ prompts, sessionId, turnId, state, append }: TurnContext): Promise<void> {
  // What is taken back or changed at this moment comes before or is too late.
  await prompts.run(sessionId, async () => {
    const said = steersOf(state());
    await append(
      said.map(({ promptId, text, images }) => ({
        kind: 'message.submitted',
        turnId,
        text,
        promptId,
        ...(images === undefined ? {} : { images: [...images] }),
      })),
    );
  });
}
