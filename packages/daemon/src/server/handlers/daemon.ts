/** The daemon about itself, and its end. */
import { isNewerVersion, zerdVersion } from '@zerd/protocol/common/version';
import { createLoopLag } from '../../life/loop-lag.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';

export function daemonHandlers(
  { root, runner, jobs, store, startedAt, stateFolder, logFile, clock, shutdown, yieldTo }: House,
  clients: () => number,
): Pick<Handlers, 'daemon/status' | 'daemon/handover' | 'daemon/shutdown'> {
  const begun = clock.now();
  const lag = createLoopLag(clock);
  const asking = () => store.sessions().filter(({ state }) => state === 'waiting').length;
  return {
    'daemon/status': ({ loopLag = false }) => ({
      version: zerdVersion,
      pid: process.pid,
      root,
      startedAt,
      upMs: Math.round(clock.now() - begun),
      clients: clients(),
      runningTurns: runner.runningTurns(),
      runningJobs: jobs.running(),
      rssBytes: process.memoryUsage.rss(),
      timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
      ...(loopLag ? given({ loopLagP99Ms: lag.p99Ms() }) : {}),
      stateFolder,
      logFile,
      waits: [...runner.waits()],
    }),
    'daemon/handover'({ version }, caller) {
      const why = reasonToStay({ version, others: clients() - 1, working: runner.runningTurns(), asking: asking() });
      if (why === undefined) shutdown(`zerd ${version} takes over, client ${caller.id} asked`);
      else if (isNewerVersion(version, zerdVersion)) yieldTo(version);
      return { stopping: why === undefined, ...(why === undefined ? {} : { why }) };
    },
    'daemon/shutdown'({ force = false }, caller) {
      const runningTurns = runner.runningTurns();
      const stopping = force || runningTurns === 0;
      if (stopping) shutdown(`client ${caller.id} asked`);
      return { stopping, runningTurns };
    },
  };
}

interface Uses {
  readonly version: string;
  readonly others: number;
  readonly working: number;
  readonly asking: number;
}

/** Undefined: nothing is lost when it ends now. */
function reasonToStay({ version, others, working, asking }: Uses): string | undefined {
  if (!isNewerVersion(version, zerdVersion)) return `zerd ${zerdVersion} is not older than ${version}`;
  const uses = [
    counted(working, 'turn', 'running'),
    counted(asking, 'session', 'waiting'),
    counted(others, 'client', 'connected'),
  ];
  const held = uses.filter((use) => use !== undefined);
  return held.length === 0 ? undefined : `zerd ${zerdVersion} stays until it is idle: ${held.join(', ')}`;
}

function counted(n: number, what: string, how: string): string | undefined {
  return n > 0 ? `${n} ${what}${n === 1 ? '' : 's'} ${how}` : undefined;
}
