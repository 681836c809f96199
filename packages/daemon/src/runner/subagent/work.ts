/**
 * Does: gives a task to a session of its own, waits for its turn and gives its last answer back. Invariants: the child is
 * sent the parent's very system text and tools (I2), may never do more than the parent, ends with the parent's turn or at
 * its deadlines, and is named in the result whatever came of it.
 */
import { childMode } from '@zerd/core/subagents/may-start';
import { situation, titleOf } from '@zerd/core/subagents/wording';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { HandedFiles } from '@zerd/protocol/common/event';
import { type SessionId, sessionIdSchema, type TurnId } from '@zerd/protocol/common/ids';
import { zerdVersion } from '@zerd/protocol/common/version';
import type { ToolResult } from '../../base/ports.ts';
import { failed } from '../../base/tool-answer.ts';
import { cacheKeyOf, dividesBySession } from '../cache-key.ts';
import { newId } from '../new-id.ts';
import type { TurnContext } from '../turn-context.ts';
import { handFiles } from './hand-files.ts';
import type { ChildParts, ChildTurns, ChildWish, Delegated } from './ports.ts';
import { resultOf } from './result.ts';
import type { Stagger, Ticket } from './stagger.ts';
import { watchChild } from './watch-child.ts';

/** A task with the session that works for it. */
interface Child extends Delegated {
  readonly child: SessionId;
  readonly title: string;
}

export async function workFor(
  parts: ChildParts,
  turns: ChildTurns,
  stagger: Stagger,
  task: Delegated,
): Promise<ToolResult> {
  const { turn, input } = task;
  const title = titleOf(input.title, input.prompt);
  const child = await openChild(parts, task, title);
  const { totalMs } = parts.readConfig().subagentLimits;
  const shown = parts.waits.begin(`sub-agent ${title}`, turn.sessionId, parts.clock.now() + totalMs);
  try {
    await runChild(parts, turns, stagger, { ...task, child, title });
    return resultOf(parts, { child, title, aborted: turn.signal.aborted });
  } catch (error) {
    if (turn.signal.aborted) return resultOf(parts, { child, title, aborted: true });
    if (isZerdError(error)) return failed(`Not started (${child}): ${(error as Error).message}`);
    throw error;
  } finally {
    shown[Symbol.dispose]();
    endJobs(turn, child);
  }
}

/** Nobody would be told of their end. */
function endJobs({ jobs }: TurnContext, child: SessionId): void {
  const running = jobs.list(child).filter(({ end }) => end === undefined);
  for (const { jobId } of running) void jobs.stop(jobId, 'its sub-agent has ended');
}

/** The parent names it before anything of it runs. */
async function openChild({ book, clock }: ChildParts, { turn, call, input }: Delegated, title: string) {
  const { created, model, mode } = turn.state();
  const { root, system, tools, rules } = created;
  const sessionId = sessionIdSchema.parse(newId('ses', clock));
  const { turnId, callId } = call;
  await book.append(sessionId, [
    {
      kind: 'session.created',
      ...{ root, model, mode: childMode(mode, input.write === true), system, tools, version: zerdVersion },
      ...(rules.length === 0 ? {} : { rules: [...rules] }),
      parent: { sessionId: turn.sessionId, callId, title, depth: (created.parent?.depth ?? 0) + 1 },
    },
  ]);
  await turn.append([{ kind: 'subagent.started', turnId, callId, sessionId, title }]);
  return sessionId;
}

async function runChild(parts: ChildParts, turns: ChildTurns, stagger: Stagger, task: Child): Promise<void> {
  const { turn, input, title } = task;
  const handed = await handFiles(turn, input.prompt);
  const show = (deadline: number) =>
    parts.waits.begin(`sub-agent ${title}: the first answer of its sisters`, turn.sessionId, deadline);
  const ticket = await stagger.enter(sharedBy(task), { signal: turn.signal, show });
  try {
    await untilEnd(parts, turns, ticket, { ...task, handed });
  } finally {
    ticket.opened();
  }
}

/** Where the cache is divided by session, nothing is shared. */
function sharedBy({ turn, child }: Child): string {
  const { endpoint } = turn.model;
  return dividesBySession(endpoint) ? child : cacheKeyOf(turn.state(), turn.sessionId, endpoint);
}

async function untilEnd(
  parts: ChildParts,
  turns: ChildTurns,
  ticket: Ticket,
  task: Child & { readonly handed: HandedFiles | undefined },
): Promise<void> {
  const { turn, child, title } = task;
  const stops = stopping(turns, child);
  const watched = watchChild(parts, child, parts.readConfig().subagentLimits, {
    answers: ticket.opened,
    tooLong(why, afterMs) {
      stops.stop(`ended, because ${why}`);
      const expired = { kind: 'wait.expired', turnId: turn.turnId, for: `sub-agent ${title}`, afterMs } as const;
      stops.told = turn.append([{ ...expired, reason: why }]);
    },
  });
  const onAbort = () => stops.stop(String(turn.signal.reason ?? 'interrupted'));
  turn.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { turnId } = await turns.start(wishOf(parts, task));
    stops.started(turnId);
    await turns.ended(child);
    await stops.told;
  } finally {
    watched[Symbol.dispose]();
    turn.signal.removeEventListener('abort', onAbort);
  }
}

function wishOf({ book }: ChildParts, task: Child & { readonly handed: HandedFiles | undefined }): ChildWish {
  const { turn, env, child, input, handed } = task;
  const headless = turn.state().turn?.headless === true;
  const says = situation(book.state(child).mode);
  return { env, sessionId: child, text: input.prompt, headless, trust: true, situation: says, handed };
}

/** Stops the child's turn, at once or as soon as it has begun. */
function stopping(turns: ChildTurns, child: SessionId) {
  let turnId: TurnId | undefined;
  let wanted: string | undefined;
  const act = () => {
    // Its end is waited for elsewhere.
    if (turnId !== undefined && wanted !== undefined) void turns.interrupt(child, turnId, wanted);
  };
  return {
    told: undefined as Promise<unknown> | undefined,
    stop(reason: string) {
      wanted ??= reason;
      act();
    },
    started(id: TurnId) {
      turnId = id;
      act();
    },
  };
}
