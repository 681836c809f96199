/** The daemon about itself, and its end. */
import { zerdVersion } from '@zerd/protocol/common/version';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

export function daemonHandlers(
  { root, runner, startedAt, stateFolder, logFile, shutdown }: House,
  clients: () => number,
): Pick<Handlers, 'daemon/status' | 'daemon/shutdown'> {
  return {
    'daemon/status': () => ({
      version: zerdVersion,
      pid: process.pid,
      root,
      startedAt,
      clients: clients(),
      runningTurns: runner.runningTurns(),
      rssBytes: process.memoryUsage.rss(),
      stateFolder,
      logFile,
      waits: [...runner.waits()],
    }),
    'daemon/shutdown'({ force = false }, caller) {
      const runningTurns = runner.runningTurns();
      const stopping = force || runningTurns === 0;
      if (stopping) shutdown(`client ${caller.id} asked`);
      return { stopping, runningTurns };
    },
  };
}
