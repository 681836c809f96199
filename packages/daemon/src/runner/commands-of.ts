/** The commands of one call: its own, and the jobs of its session. */
import type { OpenCall } from '@zerd/core/session/state';
import type { CallCommands } from '../base/job-ports.ts';
import type { TurnContext } from './turn-context.ts';

export function commandsOf(turn: TurnContext, { turnId, callId }: OpenCall): CallCommands {
  const { jobs, sessionId, root, toolEnv, jobAfterMs } = turn;
  return {
    afterMs: jobAfterMs,
    start: (command, timeoutMs) =>
      jobs.start({
        ...{ sessionId, turnId, callId, command, cwd: root, env: toolEnv },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      }),
    list: () => jobs.list(sessionId),
    jobs,
  };
}
