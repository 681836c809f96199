/**
 * Plans a whole session: the tree to begin with, the prompts, and for each turn the answers of the model, whose calls end
 * as the recorded ones did. The recorded gaps stand on the steps, so that a virtual clock can follow them. Pure.
 */
import type { Step } from '../../players/player.ts';
import { stringOf } from '../../wire.ts';
import { baseTree, knownFiles, type Tree } from './base-tree.ts';
import { createCommandBook } from './commands.ts';
import { promptGaps, stepGaps } from './gaps.ts';
import { pathsFor } from './made-path.ts';
import { makeText } from './made-text.ts';
import { findPattern, type PlanWorld, planCall, type ToolCall } from './plan-calls.ts';
import { plantFiles, plantSearch } from './plant.ts';
import type { RecordedCall, RecordedPrompt, RecordedSession } from './recorded.ts';

export interface PlannedSession {
  readonly files: ReadonlyMap<string, string>;
  readonly turns: readonly PlannedTurn[];
  /** In the recorded order. */
  readonly calls: readonly PlannedCall[];
}

export interface PlannedTurn {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

export interface PlannedCall {
  readonly tool: string;
  /** It must not end well. */
  readonly fails: boolean;
  /** The ids of the calls that play it: each must end as it did. */
  readonly ids: readonly string[];
}

export function planSession(session: RecordedSession): PlannedSession {
  const pathOf = pathsFor(knownFiles(session));
  const tree = baseTree(session, pathOf);
  plantAll(tree, session, pathOf);
  const files = withCrlf(tree, session, pathOf);
  const world: PlanWorld = { now: new Map(tree), seen: new Set(), pathOf, commands: createCommandBook() };
  const played = session.calls.map((call, i) => planCall(call, world, seedOf(i)));
  return {
    files: new Map([...files, ...world.commands.files()]),
    turns: turnsOf(session, played),
    calls: session.calls.map(({ tool, isError }, i) => ({ tool, fails: isError, ids: idsOf(i, played[i] ?? []) })),
  };
}

function plantAll(tree: Tree, { calls }: RecordedSession, pathOf: (recorded: string) => string): void {
  for (const [i, call] of calls.entries()) {
    if (call.isError) continue;
    if (call.tool === 'search') plantSearch(tree, call, pathOf(stringOf(call.args.path)), seedOf(i));
    if (call.tool === 'glob') plantFiles(tree, call, findPattern(call, pathOf), seedOf(i));
  }
}

/** As many lines as were recorded so end in CRLF, from the first on. */
function withCrlf(tree: Tree, session: RecordedSession, pathOf: (recorded: string) => string): Tree {
  const files: Tree = new Map(tree);
  for (const [recorded, { crlf }] of session.files) {
    const text = files.get(pathOf(recorded));
    if (text === undefined || crlf === 0) continue;
    let left = crlf;
    files.set(
      pathOf(recorded),
      text.replaceAll('\n', () => (left-- > 0 ? '\r\n' : '\n')),
    );
  }
  return files;
}

function turnsOf(session: RecordedSession, played: readonly (readonly ToolCall[])[]): readonly PlannedTurn[] {
  const prompts: readonly RecordedPrompt[] =
    session.prompts.length > 0 ? session.prompts : [{ beforeCall: 0, beforeRequest: 0, bytes: 100, idleMs: 0 }];
  return prompts.map((prompt, turn) => {
    // Calls before the first prompt belong to it.
    const from = turn === 0 ? 0 : prompt.beforeCall;
    const to = prompts[turn + 1]?.beforeCall ?? session.calls.length;
    const groups = groupsOf(session.calls, from, to);
    const gaps = stepGaps(session, groups, promptGaps(prompts, turn));
    const steps = groups.map(
      (group, i): Step => ({ calls: group.flatMap((at) => stepCalls(at, played[at] ?? [])), ...advance(gaps[i]) }),
    );
    const end: Step = { text: `Part ${turn + 1} is done.`, ...advance(gaps[groups.length]) };
    return { prompt: promptText(prompt, turn), steps: [...steps, end] };
  });
}

/** Calls of one answer: those in a row with the same request. */
function groupsOf(calls: readonly RecordedCall[], from: number, to: number): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (let at = from; at < to; at++) {
    const [call, before] = [calls[at], calls[at - 1]];
    const joins = at > from && call?.request !== undefined && call.request === before?.request;
    if (joins) groups.at(-1)?.push(at);
    else groups.push([at]);
  }
  return groups;
}

function stepCalls(at: number, played: readonly ToolCall[]): NonNullable<Step['calls']> {
  const ids = idsOf(at, played);
  return played.map(({ name, input }, i) => ({ name, input, id: ids[i] ?? '' }));
}

function idsOf(at: number, played: readonly ToolCall[]): readonly string[] {
  return played.map((_, i) => (i === 0 ? `call_${at}` : `call_${at}_${i}`));
}

function advance(gapMs: number | undefined): Pick<Step, 'advanceMs'> {
  return gapMs === undefined || gapMs <= 0 ? {} : { advanceMs: gapMs };
}

function promptText({ bytes }: RecordedPrompt, turn: number): string {
  return makeText({ seed: `u${turn}`, bytes: Math.max(1, bytes), lineBreaks: Math.floor(bytes / 400), closed: false });
}

function seedOf(at: number): string {
  return `q${at.toString(36)}`;
}
