/** Does: opens a turn's watch on the files that the model has seen; that it cannot watch stands among the waits and in the log (F-42). */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { FileWatch } from '../base/ports.ts';
import type { TurnParts } from './parts.ts';

export function watchFiles({ openFileWatch, waits, log }: TurnParts, sessionId: SessionId): FileWatch {
  let shown: Disposable | undefined;
  const watch = openFileWatch((why) => {
    log.warn('seen files cannot be watched: they are compared before each request instead', { why, sessionId });
    shown = waits.begin(
      `changes on disk by comparing files before each request, as they cannot be watched: ${why}`,
      sessionId,
    );
  });
  return {
    ...watch,
    async close() {
      shown?.[Symbol.dispose]();
      await watch.close();
    },
  };
}
