/**
 * Does: admits the result of a call. What it holds is archived, what of it is news is decided against the transcript as
 * it is now (I5), and both become the event that the log keeps. Admit one after another: what an earlier call of the
 * same answer shows is visible to the next.
 */

import { withNames } from '@zerd/core/context/name-images';
import { readsAfterEdit } from '@zerd/core/context/repeat/after-edit';
import { decideRepeat, decideWhole } from '@zerd/core/context/repeat/decide';
import type { Admission, Decision } from '@zerd/core/context/repeat/facts';
import { type VisibleResults, visibleResults } from '@zerd/core/context/visible';
import type { OpenCall } from '@zerd/core/session/state';
import { linesOf } from '@zerd/core/text/lines';
import type { ToolInput, ToolName } from '@zerd/core/tools/declarations';
import type { SeenFile, SessionEvent } from '@zerd/protocol/common/event';
import type { FileView, ToolResult } from '../base/ports.ts';
import { type AdmittedResult, admitResult } from './admit-result.ts';
import { keepCopy, keepShownText, loadBases } from './file-copies.ts';
import { keepImages } from './images/keep-images.ts';
import type { TurnContext } from './turn-context.ts';
import { viewShellRead } from './view-shell-read.ts';

export interface FinishedCall {
  readonly call: OpenCall;
  readonly name: ToolName;
  readonly input: ToolInput<ToolName>;
  readonly result: ToolResult;
  readonly durationMs: number;
}

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

/** An answer that carries a file's text with it: in front of what is decided about that text stands `lead`. */
export interface Carrying {
  readonly lead: string;
  /** Whatever is visible already. */
  readonly whole: boolean;
}

export async function admitCall(turn: TurnContext, finished: FinishedCall, carrying?: Carrying): Promise<Finished> {
  const { call, name, result, durationMs } = finished;
  const view = result.view ?? (await viewOf(turn, finished));
  const tool = carrying === undefined ? name : 'read';
  const admitted = await admitResult({ tool, result, archive: turn.archive, caps: turn.caps });
  const decision = await decide(turn, finished, admitted, view, carrying);
  const files = [...(result.files ?? []), ...seenBy(result, view)];
  const pictured = await keepImages(turn, result.images);
  const said = carrying === undefined ? decision.shown : `${carrying.lead}\n${decision.shown}`;
  const shown = withNames(said, pictured.notes);
  const leansOn = [...(decision.leansOn ?? []), ...pictured.leansOn];
  return {
    kind: 'toolCall.finished',
    turnId: call.turnId,
    callId: call.callId,
    outcome: result.outcome,
    ...decision,
    ...(leansOn.length === 0 ? {} : { leansOn }),
    shown,
    bytes: admitted.bytes,
    durationMs,
    ...(admitted.archiveId === undefined ? {} : { archiveId: admitted.archiveId }),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.job === undefined ? {} : { jobId: result.job.jobId }),
    ...(files.length === 0 ? {} : { files }),
    ...(result.diff === undefined ? {} : { diff: result.diff }),
    ...(pictured.images.length === 0 ? {} : { images: [...pictured.images] }),
  };
}

function viewOf(turn: TurnContext, { name, input, result }: FinishedCall): Promise<FileView | undefined> | undefined {
  return name === 'shell' ? viewShellRead(turn, (input as ToolInput<'shell'>).command, result) : undefined;
}

/** A file that a command showed was seen like one that was read. */
function seenBy({ files }: ToolResult, view: FileView | undefined): readonly SeenFile[] {
  if (view?.content === undefined || files !== undefined) return [];
  return [{ path: view.path, hash: view.hash, how: 'read' }];
}

async function decide(
  turn: TurnContext,
  finished: FinishedCall,
  admitted: AdmittedResult,
  view: FileView | undefined,
  carrying: Carrying | undefined,
): Promise<Decision> {
  if (finished.result.edited) return afterEdit(turn, finished, finished.result.edited, admitted);
  const { call, name, result } = finished;
  const state = turn.state();
  const copy = view?.content && (await keepShownText(turn.archive, view.content));
  let visible: VisibleResults | undefined;
  const admission: Admission = {
    state,
    // Of all results of the session: only for a result that may repeat one of them.
    get visible() {
      visible ??= visibleResults(state);
      return visible;
    },
    callId: call.callId,
    inputJson: call.inputJson,
    ...(carrying === undefined ? { name, outcome: result.outcome } : { name: 'read', outcome: 'ok' }),
    ...{ shown: admitted.shown, head: result.head, archiveId: admitted.archiveId, lineCap: turn.caps.line },
    bases: view ? await loadBases(turn.archive, state, view.path, view.hash) : new Map(),
    read: view && { ...view, foot: view.foot, text: view.content && linesOf(view.content.text), archiveId: copy },
  };
  return carrying?.whole ? decideWhole(admission) : decideRepeat(admission);
}

async function afterEdit(
  turn: TurnContext,
  { call, result }: FinishedCall,
  edited: NonNullable<ToolResult['edited']>,
  { shown }: AdmittedResult,
): Promise<Decision> {
  const path = result.files?.[0]?.path;
  if (path === undefined) return { shown };
  await keepCopy(turn.archive, edited.after);
  const state = turn.state();
  const bases = await loadBases(turn.archive, state, path, edited.before.hash);
  const reads = readsAfterEdit(
    { state, visible: visibleResults(state), callId: call.callId, bases },
    {
      path,
      before: { hash: edited.before.hash, text: linesOf(edited.before.text) },
      after: { hash: edited.after.hash, text: linesOf(edited.after.text) },
    },
  );
  return reads.length === 0 ? { shown } : { shown, reads: [...reads] };
}
