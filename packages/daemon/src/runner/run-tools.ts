/**
 * Does: answers the open calls of one answer. Intent before effect (I9): a call is in the log before it runs, and its
 * admitted result follows. Calls that only read run side by side, and so do sub-agents; the others one by one, in order.
 */
import { refusePointer } from '@zerd/core/context/repeat/guard';
import type { OpenCall } from '@zerd/core/session/state';
import { batches } from '@zerd/core/tools/batches';
import { companyOf } from '@zerd/core/tools/company';
import type { ToolInput } from '@zerd/core/tools/declarations';
import { type PreparedCall, prepareCall } from '@zerd/core/tools/prepare-call';
import type { Failure, ToolOutcome } from '@zerd/protocol/common/event';
import { resolvePath } from '../files/resolve.ts';
import { askForApproval } from './approvals/ask-for-approval.ts';
import { type CallToRun, executeCall } from './execute-call.ts';
import { askForModel } from './questions/ask-for-model.ts';
import { resultWithoutRun } from './result-without-run.ts';
import type { TurnContext } from './turn-context.ts';

/** Undefined: every call has its result. Otherwise what could not be asked, because nobody can answer. */
export async function runTools(turn: TurnContext, calls: readonly OpenCall[]): Promise<Failure | undefined> {
  const groups = batches(calls, companyOf);
  let unanswerable: Failure | undefined;
  for (const group of groups) {
    if (turn.signal.aborted) return undefined;
    const outcomes = await Promise.all(inOrder(turn, group, unanswerable !== undefined));
    unanswerable ??= outcomes.find((outcome) => outcome !== undefined);
  }
  return unanswerable;
}

/** All run at once; the result of each is admitted when that of the one before it stands. */
function inOrder(turn: TurnContext, group: readonly OpenCall[], afterRefusal: boolean): Promise<Failure | undefined>[] {
  let before: Promise<unknown> = Promise.resolve();
  return group.map((call) => {
    const running = runCall(turn, call, afterRefusal, before);
    // Its failure is its own.
    before = running.catch(() => undefined);
    return running;
  });
}

async function runCall(
  turn: TurnContext,
  call: OpenCall,
  afterRefusal: boolean,
  before: Promise<unknown>,
): Promise<Failure | undefined> {
  const { mode, created } = turn.state();
  const prepared = await permitted(turn, prepareCall(call, { mode, declared: created.tools, grants: turn.grants() }));
  if (prepared.kind === 'refuse') return answerWith(turn, call, prepared.outcome, prepared.text);
  const pointer = refusePointer(prepared.name, prepared.input, turn.state);
  if (pointer !== undefined) return answerWith(turn, call, 'failed', pointer);
  if (afterRefusal)
    return answerWith(turn, call, 'denied', 'Not run: an earlier call of this answer needs permission.');
  const { name, input } = prepared;
  if (name === 'question') return askForModel(turn, call, input as ToolInput<'question'>);
  // What was asked is settled first, also where the mode allows it by now.
  if (prepared.kind === 'ask' || call.approval !== undefined) {
    const always = prepared.kind === 'ask' ? prepared.always : undefined;
    const asked = await askForApproval(turn, call, { name, input, ...(always && { always }) });
    if (asked.kind === 'nobody') return asked.failure;
    if (asked.kind === 'denied') return answerWith(turn, call, 'denied', asked.text);
  }
  await executeCall(turn, call, { name, input } satisfies CallToRun, before);
  return undefined;
}

/** What may run as long as it stays in the repository is asked, or denied, where it does not. */
async function permitted(turn: TurnContext, prepared: PreparedCall): Promise<PreparedCall> {
  if (prepared.kind !== 'run' || (await staysInside(turn.root, prepared.paths ?? []))) return prepared;
  const { name, input } = prepared;
  if (prepared.or === 'ask') return { kind: 'ask', name, input };
  const text = 'Not run: this session is read-only, and the command looks at what is outside the repository.';
  return { kind: 'refuse', outcome: 'denied', text };
}

async function staysInside(root: string, paths: readonly string[]): Promise<boolean> {
  const resolved = await Promise.all(paths.map((path) => resolvePath(root, path)));
  return resolved.every(({ ok }) => ok);
}

async function answerWith(turn: TurnContext, call: OpenCall, outcome: ToolOutcome, shown: string): Promise<undefined> {
  await turn.append([resultWithoutRun(call, outcome, shown)]);
}
