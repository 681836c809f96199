/**
 * Does: runs one permitted call and logs what came of it. Invariant: after an abort the result stands within a second,
 * and after its deadline at once, also when the tool does not let go; a defect in a tool becomes a failed result and goes
 * no further.
 */
import { sayDuration } from '@zerd/core/jobs/say';
import type { OpenCall } from '@zerd/core/session/state';
import type { ToolInput, ToolName } from '@zerd/core/tools/declarations';
import { letGoText, toolLimitMs, waitName } from '@zerd/core/watchdog/tool-limit';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { isOutOfFiles } from '../base/full-disk.ts';
import type { ToolContext, ToolResult } from '../base/ports.ts';
import { run as edit } from '../tools/edit/run.ts';
import { run as find } from '../tools/find/run.ts';
import { run as jobs } from '../tools/jobs/run.ts';
import { run as mcp } from '../tools/mcp/run.ts';
import { run as notes } from '../tools/notes/run.ts';
import { run as read } from '../tools/read/run.ts';
import { run as recall } from '../tools/recall/run.ts';
import { run as search } from '../tools/search/run.ts';
import { run as shell } from '../tools/shell/run.ts';
import { run as skill } from '../tools/skill/run.ts';
import { run as task } from '../tools/task/run.ts';
import { run as todo } from '../tools/todo/run.ts';
import { run as write } from '../tools/write/run.ts';
import { admitCall } from './admit-call.ts';
import { attachRules } from './attach-rules.ts';
import { commandsOf } from './commands-of.ts';
import { presentText } from './present-text.ts';
import type { TurnContext } from './turn-context.ts';
import { type CallWatch, watchCall } from './watch-call.ts';

type AnyRun = (input: never, context: ToolContext) => Promise<ToolResult>;

const runs: Readonly<Record<CallToRun['name'], AnyRun>> = {
  read,
  write,
  edit,
  search,
  find,
  shell,
  recall,
  notes,
  todo,
  skill,
  jobs,
  task,
  mcp,
};

/** How long a tool may take to give what it has after an abort. The caller is answered within a second. */
const graceMs = 700;

/** `before` settles when the result of the call before it stands: results are admitted in the order of the calls. */
export async function executeCall(
  turn: TurnContext,
  call: OpenCall,
  { name, input, looks }: CallToRun,
  before: Promise<unknown>,
): Promise<void> {
  const { turnId, callId, inputJson } = call;
  await turn.append([{ kind: 'toolCall.started', turnId, callId, name: call.name, inputJson }]);
  const begun = turn.clock.now();
  const watch = watchCall(turn, waitName(name, input), toolLimitMs(name, input, turn.toolMs));
  const result = await settled(turn, call, { name, input, ...(looks && { looks }) }, watch).finally(() =>
    watch[Symbol.dispose](),
  );
  const durationMs = Math.round(turn.clock.now() - begun);
  // A sub-agent points at nothing and nothing points at it: its result is there for all as soon as it has come.
  if (name !== 'task') await before;
  const fresh = await freshText(turn, call, { name, input }, result);
  const finished = { call, name, input, result: fresh?.result ?? result, durationMs };
  const admitted = await attachRules(turn, await admitCall(turn, finished, fresh?.carrying));
  await turn.append([...jobStarted(call, result), admitted]);
}

export interface CallToRun {
  /** A question is asked elsewhere: it runs nothing. */
  readonly name: Exclude<ToolName, 'question'>;
  readonly input: ToolInput<ToolName>;
  /** A command that runs unasked because it only looks. */
  readonly looks?: boolean;
}

async function freshText(turn: TurnContext, call: OpenCall, { name, input }: CallToRun, result: ToolResult) {
  if (name !== 'edit' || result.outcome !== 'failed' || turn.signal.aborted) return undefined;
  return presentText(turn.state(), call, input as ToolInput<'edit'>, result, contextOf(turn, call));
}

/** In one commit with the result that names it. */
function jobStarted({ turnId, callId }: OpenCall, { job }: ToolResult): readonly SessionEvent[] {
  return job === undefined ? [] : [{ kind: 'job.started', turnId, callId, ...job }];
}

async function settled(
  turn: TurnContext,
  call: OpenCall,
  { name, input, looks }: CallToRun,
  watch: CallWatch,
): Promise<ToolResult> {
  const over = new AbortController();
  const expired = new AbortController();
  const signal = AbortSignal.any([turn.signal, expired.signal]);
  const context = { ...contextOf(turn, call, looks), signal, progress: watch.again };
  const running = runs[name](input as never, context).catch((defect: unknown) => broken(turn, name, defect));
  try {
    return await Promise.race([running, letGo(turn, name, over.signal), giveUp(turn, name, watch, expired)]);
  } finally {
    over.abort();
  }
}

/** Settles when the tool has had its time. What it still does then goes nowhere. */
function giveUp(turn: TurnContext, name: string, watch: CallWatch, expired: AbortController): Promise<ToolResult> {
  return new Promise((resolve) => {
    void watch.expired.then((ms) => {
      turn.log.error('a tool hung and was given up', { tool: name, sessionId: turn.sessionId, ms });
      const text = letGoText(name, sayDuration(ms));
      resolve({ outcome: unlessWriting(name, 'failed'), body: { kind: 'text', text } });
      expired.abort(`no progress for ${sayDuration(ms)}`);
    });
  });
}

function broken(turn: TurnContext, name: ToolName, defect: unknown): ToolResult {
  if (turn.signal.aborted) return interruptedResult(name);
  if (isOutOfFiles(defect) || isZerdError(defect)) return expected(turn, name, defect);
  turn.log.error('a tool failed by a defect', { error: defect, tool: name, sessionId: turn.sessionId });
  return { outcome: 'failed', body: { kind: 'text', text: `A defect in zerd stopped ${name}: ${String(defect)}` } };
}

/** No fault of zerd: too many files are open, or the disk was full for a day. */
function expected(turn: TurnContext, name: ToolName, error: unknown): ToolResult {
  turn.log.warn('a tool could not run', { error, tool: name, sessionId: turn.sessionId });
  const why = isOutOfFiles(error) ? 'too many files are open on this machine. Try again.' : (error as Error).message;
  return { outcome: 'failed', body: { kind: 'text', text: `${name} could not run: ${why}` } };
}

/** Of a write that is not waited for any longer it is not known whether it came to be: going back asks for that. */
function unlessWriting(name: string, outcome: 'failed' | 'interrupted'): ToolResult['outcome'] {
  if (name === 'mcp' && outcome === 'failed') return 'unknown';
  return name === 'edit' || name === 'write' ? 'unknown' : outcome;
}

function interruptedResult(name: string): ToolResult {
  return {
    outcome: unlessWriting(name, 'interrupted'),
    body: { kind: 'text', text: `Interrupted by the user while ${name} ran. It may have had an effect.` },
  };
}

/** Settles some time after an abort, and never without one; `over` ends the listening. */
function letGo(turn: TurnContext, name: string, over: AbortSignal): Promise<ToolResult> {
  return new Promise((resolve) => {
    const afterGrace = () => {
      const timer = turn.clock.setTimer(graceMs, () => resolve(interruptedResult(name)));
      over.addEventListener('abort', () => timer[Symbol.dispose](), { once: true });
    };
    if (turn.signal.aborted) afterGrace();
    else turn.signal.addEventListener('abort', afterGrace, { once: true, signal: over });
  });
}

function contextOf(turn: TurnContext, call: OpenCall, looks = false): ToolContext {
  return {
    root: turn.root,
    signal: turn.signal,
    clock: turn.clock,
    search: turn.search,
    archive: turn.archive,
    commands: commandsOf(turn, call, looks),
    env: turn.toolEnv,
    caps: turn.caps,
    seen: (path) => turn.state().seen.get(path),
    memory: turn.memory,
    skills: turn.skills,
    ...(turn.outside && { outside: turn.outside }),
    delegate: (task) => turn.delegate(call, task),
  };
}
