/**
 * Does: gives the text of a file as it is now to an edit that failed again and again with the same arguments, instead of
 * the same error alone: all of a short file, else the lines around the place that comes nearest.
 */
import { normalize } from 'node:path/posix';
import { equalFailures, showTextAfter } from '@zerd/core/edit/equal-failures';
import { nearestRegion } from '@zerd/core/edit/nearest';
import type { OpenCall, SessionState } from '@zerd/core/session/state';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { ToolContext, ToolResult } from '../base/ports.ts';
import { run as read } from '../tools/read/run.ts';
import type { Carrying } from './admit-call.ts';

/** A longer file comes in part. */
const wholeLines = 300;
const linesAround = 60;

/** Undefined: it has not failed often enough, or the file cannot be read. */
export async function presentText(
  state: SessionState,
  call: OpenCall,
  input: ToolInput<'edit'>,
  failure: ToolResult,
  context: ToolContext,
): Promise<{ readonly result: ToolResult; readonly carrying: Carrying } | undefined> {
  const times = equalFailures(state, call.inputJson, normalize(input.path)) + 1;
  if (times < showTextAfter || failure.body.kind !== 'text') return undefined;
  const fresh = await readAround(input, context);
  if (fresh.outcome !== 'ok') return undefined;
  const [why = ''] = failure.body.text.split('\n');
  const lead = `${why} This edit has failed ${times} times; edit the text as it is now:`;
  return { result: { ...fresh, outcome: 'failed' }, carrying: { lead, whole: times === showTextAfter } };
}

async function readAround({ path, old }: ToolInput<'edit'>, context: ToolContext): Promise<ToolResult> {
  const whole = await read({ path }, context);
  const view = whole.view;
  if (view?.content === undefined || view.lines <= wholeLines) return whole;
  const near = nearestRegion(view.content.text, old);
  if (near === undefined) return whole;
  const offset = Math.max(1, near.firstLine - linesAround);
  return read({ path, offset, limit: near.lines.length + 2 * linesAround }, context);
}
