/**
 * Does: runs a command in the workspace and gives back what it wrote and how it ended. Invariant: it answers on the
 * command's exit (what it left behind may go on), at its time limit, and within half a second of an interrupt; the
 * whole tree of an ended command is hunted down behind the answer.
 */
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Body, ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { createOutputSpool } from '../../processes/output-spool.ts';
import { endTree } from '../../processes/process-tree.ts';
import { settlesWithin } from '../../processes/settles-within.ts';
import { type Started, startCommand } from '../../processes/start-command.ts';
import { describeEnding, type Ending, outcomeOf } from './ending.ts';
import { type Following, followOutput } from './follow-output.ts';

/** How long an ended command may take to be gone before the answer goes out without it. */
const timeOutGraceMs = 3_000;
const interruptGraceMs = 300;

/** A command that says nothing for so long hangs (I8), unless it came with a time limit of its own. */
export const longestSilenceMs = 15 * 60_000;

export const run: ToolRun<'shell'> = async ({ command, timeoutMs }, context) => {
  if (context.signal.aborted) return answer({ kind: 'interrupted' }, { kind: 'text', text: '' }, false);
  if (!(await isFolder(context.root))) return failed(folderGone(context.root));
  if (command.includes('\0')) return failed('Not run: the command holds a NUL byte, which no shell takes.');
  const { root: cwd, env, archive, clock } = context;
  const started = await startCommand({ command, cwd, env, pipePath: archive.spoolPath() });
  if (!started.ok) return failed(await whyNotStarted(started.code, command, context.root));
  const output = followOutput(
    started.output,
    createOutputSpool(() => archive.spoolPath()),
    clock,
  );
  const ending = await endingOf(started, output, timeoutMs, context);
  await settle(started, ending, output, context);
  const leftBehind = ending.kind === 'exited' && !output.isClosed();
  const body = await output.detach();
  if (ending.kind !== 'exited') destroy(started.output);
  return answer(ending, body, leftBehind);
};

type Running = Extract<Started, { ok: true }>;

function endingOf(
  running: Running,
  output: Following,
  timeoutMs: number | undefined,
  { signal, clock }: ToolContext,
): Promise<Ending> {
  return new Promise((resolve) => {
    let timer: Disposable;
    const onAbort = () => end({ kind: 'interrupted' });
    const end = (ending: Ending) => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      resolve(ending);
    };
    const watchSilence = () => {
      const silentMs = clock.now() - output.touchedAt();
      if (silentMs >= longestSilenceMs) end({ kind: 'silent', silentMs });
      else timer = clock.setTimer(longestSilenceMs - silentMs, watchSilence);
    };
    if (timeoutMs === undefined) timer = clock.setTimer(longestSilenceMs, watchSilence);
    else timer = clock.setTimer(timeoutMs, () => end({ kind: 'timedOut', timeoutMs }));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    void running.exited.then((exit) => end({ kind: 'exited', ...exit }));
  });
}

/** Waits for what may still arrive; after an ending by force no longer than an answer can wait. */
async function settle(
  running: Running,
  ending: Ending,
  output: Following,
  { clock, signal }: ToolContext,
): Promise<void> {
  if (ending.kind === 'exited') return orAborted(output.drained(), signal);
  const ended = endTree(running.tree, clock);
  if (ending.kind !== 'interrupted') await orAborted(settlesWithin(ended, timeOutGraceMs, clock), signal);
  await settlesWithin(Promise.all([ended, output.closed]), interruptGraceMs, clock);
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

function destroy(output: Readable): void {
  output.destroy();
}

function answer(ending: Ending, body: Body, leftBehind: boolean): ToolResult {
  const head = describeEnding(ending, leftBehind);
  const exitCode = ending.kind === 'exited' && ending.code !== null ? { exitCode: ending.code } : {};
  return { outcome: outcomeOf(ending), body, ...exitCode, ...(head === undefined ? {} : { head }) };
}

function failed(text: string): ToolResult {
  return { outcome: 'failed', body: { kind: 'text', text } };
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
  return `Not run: the shell could not be started (${code}).`;
}
