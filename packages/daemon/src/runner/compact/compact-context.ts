/**
 * Does: replaces the older part of a conversation by a summary, as a transaction: the words are asked for, what goes is
 * written down, and then one event switches. Invariant: until that event the old context stands, whatever fails, and
 * nothing that the user waits for is without deadline.
 */
import { composeSummary, wordlessProse } from '@zerd/core/context/compact/compose';
import { machineFacts } from '@zerd/core/context/compact/machine-facts';
import {
  type CompactionDecision,
  type CompactionPlan,
  planCompaction,
  proseTokens,
} from '@zerd/core/context/compact/plan';
import { wholeRecord } from '@zerd/core/context/compact/record';
import { tellStory } from '@zerd/core/context/compact/story';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { carryOverCompaction } from '@zerd/core/rules/carry';
import { utf8Length } from '@zerd/core/text/utf8';
import type { Failure, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import { interrupted } from '../attempt.ts';
import type { TurnContext } from '../turn-context.ts';
import { type Wordless, type Written, writeProse } from './write-prose.ts';

export interface CompactionWish {
  /** One line for people. */
  readonly reason: string;
  /** The provider refused the prompt as too long. */
  readonly overflow: boolean;
  /** The newest answer goes too: the window cut it short. */
  readonly all?: boolean;
}

/** Undefined: it is done. Otherwise why not; the conversation is as it was. */
export async function compactContext(turn: TurnContext, wish: CompactionWish): Promise<Failure | undefined> {
  const plan = decideCompaction(turn, wish);
  if (plan.kind !== 'compact') return impossible(plan);
  const limit = new AbortController();
  const timer = turn.clock.setTimer(turn.compactionMs, () => limit.abort('the deadline of a summary'));
  const shown = turn.waits.begin('a summary of the conversation', turn.sessionId, turn.clock.now() + turn.compactionMs);
  try {
    const limited = { ...turn, signal: AbortSignal.any([turn.signal, limit.signal]) };
    const written = await writeProse(limited, { through: plan.cut.throughSeq, warm: plan.warm });
    if (turn.signal.aborted) return interrupted(turn);
    if (written.kind === 'written') return await switchOver(turn, plan, wish, written);
    if (limit.signal.aborted) return tooSlow(turn);
    const { failure, wordless } = written;
    if (wordless === undefined || !isNeeded(turn, plan, wish)) return unwritten(failure, wish);
    turn.log.warn('a summary is made without words of the model', { why: failure.message, sessionId: turn.sessionId });
    return await switchOver(turn, plan, { ...wish, reason: `${wish.reason}; ${noWords}` }, ownWords(wordless));
  } finally {
    timer[Symbol.dispose]();
    shown[Symbol.dispose]();
  }
}

export function decideCompaction(
  turn: TurnContext,
  { overflow, all = false }: Pick<CompactionWish, 'overflow' | 'all'>,
): CompactionDecision {
  const model = plannerModel(turn.model);
  const said = tellStory(turn.events(), Number.POSITIVE_INFINITY).messages;
  const messages = said.reduce((sum, { text }) => sum + utf8Length(text), 0);
  return planCompaction(turn.state(), { model, now: turn.clock.wall(), overflow, all, messages });
}

/** Without a summary the conversation cannot go on: then what the machine kept has to do. */
function isNeeded(
  { model }: TurnContext,
  { prompt }: CompactionPlan,
  { overflow, all = false }: CompactionWish,
): boolean {
  return overflow || all || prompt > plannerModel(model).ceiling;
}

const noWords = 'the model wrote no summary in two attempts, so what was kept word for word stands alone';

function ownWords({ before, requestId, usage }: Wordless): WrittenProse {
  const prose = before === undefined ? wordlessProse : `${wordlessProse}\n\nOf what was before it:\n${before}`;
  return { kind: 'written', prose, requestId, usage };
}

type WrittenProse = Extract<Written, { kind: 'written' }>;

/** Resolves to undefined. */
async function switchOver(turn: TurnContext, plan: CompactionPlan, wish: CompactionWish, words: WrittenProse) {
  const event = await switchEvent(turn, plan, wish, words);
  await turn.append([carryOverCompaction(turn.state(), event)]);
  return undefined;
}

type Compacted = Extract<SessionEvent, { kind: 'context.compacted' }>;

/** What is replaced is archived and in the transcript before the switch. */
async function switchEvent(
  turn: TurnContext,
  plan: CompactionPlan,
  { reason }: CompactionWish,
  { prose, requestId, usage }: WrittenProse,
): Promise<Compacted> {
  const { throughSeq, unseenAfter } = plan.cut;
  const events = turn.events();
  const before = turn.state().compactions.newest?.throughSeq ?? 0;
  const archiveId = await turn.archive.put(wholeRecord(events, throughSeq, 0));
  const facts = machineFacts(events, { throughSeq, unseenAfter, bytes: plan.bytes, archiveId });
  const { calls } = tellStory(events, throughSeq);
  const replacedBytes = Math.round((plan.prompt - plan.stays) * bytesAToken);
  const summary = composeSummary({ facts, prose, replacedBytes, calls: calls.length, archiveId });
  await turn.transcripts.append(turn.sessionId, events.filter(isBetween(before, throughSeq)));
  const digest = Math.round(utf8Length(facts) / bytesAToken + proseTokens);
  return {
    kind: 'context.compacted',
    turnId: turn.turnId,
    reason,
    throughSeq,
    summary,
    archiveId,
    summaryRequestId: requestId,
    usage,
    predicted: { prompt: Math.round(plan.prompt), after: Math.round(plan.stays) + digest, facts: digest },
  };
}

/** Of kept facts and of what they replace, between prose and code. */
const bytesAToken = 3.6;

function isBetween(after: number, through: number) {
  return ({ seq }: LoggedEvent) => seq > after && seq <= through;
}

/** Said before anything is sent. */
export function impossible(decision: Exclude<CompactionDecision, { kind: 'compact' }>): Failure {
  const kept = 'The conversation stands as it was. Choose a model with a larger window, or start a new session.';
  if (decision.kind === 'nothing') {
    return { code: 'context_overflow', message: `There is nothing that a summary could take the place of. ${kept}` };
  }
  const { floor, ceiling } = decision;
  const why = `The system text, the tools and what must stay take about ${floor} tokens, and a prompt should have ${ceiling} at most: no summary makes room.`;
  return { code: 'context_overflow', message: `${why} ${kept}` };
}

function tooSlow({ compactionMs }: TurnContext): Failure {
  const message = `The summary was not written within ${Math.round(compactionMs / 1000)} s. The conversation stands as it was; parts that were finished are kept, and the next attempt goes on from there.`;
  return { code: 'provider_timeout', message };
}

function unwritten(failure: Failure, { overflow }: CompactionWish): Failure {
  const message = `The conversation could not be summed up, in two attempts. The last: ${failure.message} It stands as it was.`;
  return {
    ...failure,
    code: overflow && failure.code !== 'limit_reached' ? 'context_overflow' : failure.code,
    message,
  };
}
