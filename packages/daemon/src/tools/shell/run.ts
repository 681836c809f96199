/**
 * Does: runs a command in the workspace and gives back what it wrote and how it ended. Invariant: it answers on the
 * command's exit, at its time limit, within half a second of an interrupt, and after some seconds in any case: what
 * still runs then, or was left behind, goes on as a job. The whole tree of an ended command is hunted down behind the
 * answer.
 */
import { stat } from 'node:fs/promises';
import type { RunningCommand } from '../../base/job-ports.ts';
import type { Body, ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed } from '../../base/tool-answer.ts';
import { settlesWithin } from '../../processes/settles-within.ts';
import { describeEnding, type Ending, outcomeOf } from './ending.ts';

/** How long an ended command may take to be gone before the answer goes out without it. */
const timeOutGraceMs = 3_000;
const interruptGraceMs = 300;

export const run: ToolRun<'shell'> = async ({ command, timeoutMs }, context) => {
  const { root, signal, commands } = context;
  if (signal.aborted)
    return { outcome: 'interrupted', head: 'interrupted by the user, killed', body: { kind: 'text', text: '' } };
  if (!(await isFolder(root))) return failed(folderGone(root));
  if (command.includes('\0')) return failed('Not run: the command holds a NUL byte, which no shell takes.');
  const started = await commands.start(command, timeoutMs);
  if (!started.ok) return failed(await whyNotStarted(started.code, command, root));
  const running = started.command;
  const ending = await endingOf(running, timeoutMs, context);
  await settle(running, ending, context);
  const body = await running.output();
  return answer(command, running, ending, body);
};

function endingOf(
  running: RunningCommand,
  timeoutMs: number | undefined,
  { signal, clock, commands: { afterMs } }: ToolContext,
): Promise<Ending> {
  return new Promise((resolve) => {
    const onAbort = () => settled({ kind: 'interrupted' });
    const timer =
      timeoutMs === undefined
        ? clock.setTimer(afterMs, () => settled({ kind: 'goesOn', afterMs }))
        : clock.setTimer(timeoutMs, () => settled({ kind: 'timedOut', timeoutMs }));
    const settled = (ending: Ending) => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      resolve(ending);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    void running.ended.then((end) => settled({ kind: 'ended', end }));
  });
}

/** After an ending by force: waits for what may still arrive, no longer than an answer can wait. */
async function settle(running: RunningCommand, ending: Ending, { clock, signal }: ToolContext): Promise<void> {
  if (ending.kind !== 'timedOut' && ending.kind !== 'interrupted') return;
  const gone = running.end();
  if (ending.kind === 'timedOut') await orAborted(settlesWithin(gone, timeOutGraceMs, clock), signal);
  await settlesWithin(Promise.all([gone, running.ended]), interruptGraceMs, clock);
}

async function orAborted(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([wait, aborted]);
  signal.removeEventListener('abort', stop);
}

function answer(command: string, running: RunningCommand, ending: Ending, body: Body): ToolResult {
  const { jobId } = running;
  const head = describeEnding(ending, jobId);
  const exitCode =
    ending.kind === 'ended' && ending.end.exitCode !== undefined ? { exitCode: ending.end.exitCode } : {};
  const goesOn = ending.kind === 'goesOn' || (ending.kind === 'ended' && ending.end.alive !== undefined);
  if (goesOn) running.keep();
  return {
    outcome: outcomeOf(ending),
    body,
    ...exitCode,
    ...(head === undefined ? {} : { head }),
    ...(goesOn ? { job: { jobId, command } } : {}),
  };
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

function folderGone(root: string): string {
  return `Not run: the workspace folder ${root} is gone. Restore it, or start in another folder.`;
}

async function whyNotStarted(code: string, command: string, root: string): Promise<string> {
  if (!(await isFolder(root))) return folderGone(root);
  if (code === 'E2BIG')
    return `Not run: the command is too long (${command.length} characters). Write it to a file and run that.`;
  if (code === 'EHOST')
    return 'Perhaps not run: the process that watches commands could not be started, or was killed. Look, then try again.';
  if (code === 'ENOSPC') return 'Not run: the disk is full, and there is no room for what the command writes.';
  return `Not run: the shell could not be started (${code}).`;
}
