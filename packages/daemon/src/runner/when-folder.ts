/**
 * Does: holds a turn, in sight, while its working folder is gone, and lets it go on by itself when it is back (F-25).
 * Without it every call fails, and each request that is told so is paid for. Invariant: meanwhile nothing is sent and no
 * call begins.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { TurnContext } from './turn-context.ts';

type Held = Pick<TurnContext, 'root' | 'folder' | 'waits' | 'sessionId' | 'clock' | 'signal' | 'fileWatch' | 'log'>;

/** As long as a person is waited for. */
const patienceMs = 24 * 60 * 60_000;
/** Its parent may be gone too: there is nothing that tells. */
const againAfterMs = 5_000;

/** Settles when it is there. Rejects with the signal's reason, and with folder_missing after a day. */
export async function whenFolder(turn: Held): Promise<void> {
  const { folder, root, clock, signal, waits, sessionId } = turn;
  if (await folder.there()) return;
  turn.log.warn('a turn is paused: its working folder is gone', { root, sessionId });
  const deadline = clock.now() + patienceMs;
  const shown = waits.begin(`the working folder ${root}, which is gone: put it back`, sessionId, deadline, 'blocks');
  try {
    while (!(await folder.there())) {
      if (clock.now() >= deadline) throw gaveUp(root);
      await clock.sleep(againAfterMs, signal);
    }
  } finally {
    shown[Symbol.dispose]();
  }
  turn.fileWatch.doubt();
}

function gaveUp(root: string): ZerdError {
  return new ZerdError(
    'folder_missing',
    `The working folder ${root} has been gone for 24 hours; all that was done before is kept. Put it back, then continue the session.`,
  );
}
