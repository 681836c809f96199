/**
 * Does: gives a call its commands, its own and the jobs of its session. Invariant: a command does not begin while the
 * disk has no room for what it writes, and what it wrote is taken when there is room.
 */
import type { OpenCall } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import { isDiskFull, isFullCode } from '../base/full-disk.ts';
import type { CallCommands, CommandWish, RunningCommand, StartedCommand } from '../base/job-ports.ts';
import { lookingEnv } from '../processes/looking-env.ts';
import { followOutput } from './follow-output.ts';
import type { TurnContext } from './turn-context.ts';

/** `looks`: nobody was asked, since the command only looks. */
export function commandsOf(turn: TurnContext, call: Pick<OpenCall, 'turnId' | 'callId'>, looks = false): CallCommands {
  const { jobs, sessionId, root, toolEnv, jobAfterMs } = turn;
  const env = looks ? lookingEnv(root, toolEnv) : toolEnv;
  const { turnId, callId } = call;
  return {
    afterMs: jobAfterMs,
    async start(command, timeoutMs) {
      const started = await startWithRoom(turn, {
        ...{ sessionId, turnId, callId, command, cwd: root, env },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      return started.ok ? { ok: true, command: followOutput(turn, call, started.command) } : started;
    },
    list: () => jobs.list(sessionId),
    jobs,
  };
}

async function startWithRoom({ jobs, whenRoom }: TurnContext, wish: CommandWish): Promise<StartedCommand> {
  const start = async () => {
    const started = await jobs.start(wish);
    if (!started.ok && isFullCode(started.code))
      throw new ZerdError('disk_full', `The command was not run: there is no room for its output (${started.code}).`);
    return started;
  };
  try {
    // An interrupt ends the wait, and then nothing is run any more.
    const started = await whenRoom('the output of a command', start, 'left');
    return started.ok ? { ok: true, command: takenWithRoom(started.command, whenRoom) } : started;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return { ok: false, code: 'ENOSPC' };
  }
}

function takenWithRoom(command: RunningCommand, whenRoom: TurnContext['whenRoom']): RunningCommand {
  return { ...command, output: () => whenRoom('the output of a command', () => command.output()) };
}
