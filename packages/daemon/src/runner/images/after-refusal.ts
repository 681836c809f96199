/**
 * Does: after a provider refused a request for an image, goes on without it: an event names which are no longer sent and
 * why (I3), so that one image never ends a session. Invariant: each time at least one image leaves; where none is left,
 * the failure stands.
 */
import { suspectImages } from '@zerd/core/session/images';
import { clipUtf8 } from '@zerd/core/text/utf8';
import type { Failure } from '@zerd/protocol/common/event';
import type { TurnContext } from '../turn-context.ts';

/** Bytes of the provider's words that the model reads too. */
const reasonBytes = 200;

/** Undefined: the request can be made again, with the images named. */
export async function afterImageRefusal(turn: TurnContext, failure: Failure): Promise<Failure | undefined> {
  const ids = new Set(suspectImages(turn.state()).map(({ archiveId }) => archiveId));
  if (ids.size === 0) return failure;
  const said = turn.state().turn?.failing?.failure.message ?? failure.message;
  const reason = clipUtf8(said, reasonBytes);
  await turn.append([{ kind: 'images.refused', turnId: turn.turnId, images: [...ids], reason }]);
  return undefined;
}
