/** What needs the word of the user, and what their words mean. */
import { chosenOption } from '@zerd/protocol/common/chosen-option';
import type { ApprovalId, QuestionId, SessionId } from '@zerd/protocol/common/ids';
import type { ParamsOf, ResultOf } from '@zerd/protocol/common/methods';
import { type Line, linesOf } from './paint.ts';

export type Pending =
  | {
      readonly kind: 'approval';
      readonly id: ApprovalId;
      readonly sessionId: SessionId;
      readonly digest: string;
      readonly tool: string;
      readonly text: string;
      /** What may be allowed for good with it. */
      readonly always?: readonly string[];
    }
  | {
      readonly kind: 'question';
      readonly id: QuestionId;
      readonly sessionId: SessionId;
      readonly text: string;
      readonly options: readonly string[];
    };

/** Approvals first: what is asked of a session and of its sub-agents. */
export function pendingOf(
  sessionId: SessionId,
  read: Pick<ResultOf<'session/read'>, 'pendingApprovals' | 'pendingQuestions'>,
): readonly Pending[] {
  return [
    ...read.pendingApprovals.map(({ approvalId, digest, tool, asks, always, sessionId: at = sessionId }) => ({
      ...({ kind: 'approval', id: approvalId, sessionId: at, digest, tool, text: asks } as const),
      ...(always && { always }),
    })),
    ...(read.pendingQuestions ?? []).map(
      ({ questionId, text, options, sessionId: at = sessionId }) =>
        ({ kind: 'question', id: questionId, sessionId: at, text, options }) as const,
    ),
  ];
}

export function pendingLines(pending: Pending): readonly Line[] {
  if (pending.kind === 'approval')
    return [
      { tone: 'warn', text: `? May ${pending.tool} do this?  ${pending.id}` },
      ...indented(pending.text, 'strong'),
      ...(pending.always ? indented(`always: ${pending.always.join(', ')}`, 'dim') : []),
    ];
  const options = pending.options.map((option, index) => `${index + 1}. ${option}`);
  return [
    { tone: 'warn', text: `? ${pending.id}` },
    ...indented(pending.text, 'strong'),
    ...options.flatMap((option) => indented(option, 'plain')),
  ];
}

/** The command that answers it; `among`: all that is asked there. */
export function answerLine(pending: Pending, among: readonly Pending[], session: string | undefined): Line {
  const which = [
    ...(session === undefined ? [] : [`--session ${session}`]),
    ...(among.length > 1 ? [`--id ${pending.id}`] : []),
  ];
  const words = pending.kind === 'approval' ? wordsFor(pending) : pending.options.length > 0 ? '1' : '"…"';
  return { tone: 'dim', text: `  zerd answer ${[...which, words].join(' ')}` };
}

/** What may be answered, in few words. */
export function answersOf(pending: Pending): string {
  if (pending.kind === 'approval') return pending.always ? 'yes, always, or no and why' : 'yes, or no and why';
  const { length } = pending.options;
  if (length === 0) return 'your answer';
  return `${length === 1 ? '1' : `1-${length}`}, or your own words`;
}

function wordsFor({ always }: Extract<Pending, { kind: 'approval' }>): string {
  return always ? 'yes|always|no' : 'yes|no';
}

function indented(text: string, tone: Line['tone']): readonly Line[] {
  return linesOf(text, tone).map((line) => ({ ...line, text: `  ${line.text}` }));
}

export type Answer =
  | { readonly method: 'approval/answer'; readonly params: ParamsOf<'approval/answer'> }
  | { readonly method: 'question/answer'; readonly params: ParamsOf<'question/answer'> }
  /** What is missing. */
  | { readonly method: undefined; readonly says: string };

/** A number chooses an option; to an approval the first word is yes or no, what follows a no is the reason. */
export function readAnswer(pending: Pending, words: string): Answer {
  const text = words.trim();
  if (text === '') return { method: undefined, says: 'Say something.' };
  return pending.kind === 'question' ? toQuestion(pending, text) : toApproval(pending, text);
}

function toQuestion(pending: Extract<Pending, { kind: 'question' }>, text: string): Answer {
  const { sessionId, id, options } = pending;
  const choice = chosenOption(options, text);
  if (choice.kind === 'refused') return { method: undefined, says: choice.says };
  return { method: 'question/answer', params: { sessionId, questionId: id, answer: choice.answer } };
}

function toApproval(pending: Extract<Pending, { kind: 'approval' }>, text: string): Answer {
  const { sessionId, id, digest } = pending;
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  const said = word.toLowerCase().replace(/[.,!:;]+$/, '');
  const base = { sessionId, approvalId: id, digest };
  if (said === 'yes' || said === 'y' || said === 'always') {
    // Who adds a condition has not granted what is asked.
    if (rest !== '') return { method: undefined, says: 'A yes stands alone: say yes, or no and what to do instead.' };
    if (said !== 'always') return { method: 'approval/answer', params: { ...base, decision: 'granted' } };
    if (!pending.always) return { method: undefined, says: 'This cannot be allowed for good: say yes or no.' };
    return { method: 'approval/answer', params: { ...base, decision: 'granted', always: true } };
  }
  if (said !== 'no' && said !== 'n')
    return { method: undefined, says: 'Say yes or no; behind a no there may be a reason.' };
  return {
    method: 'approval/answer',
    params: { ...base, decision: 'denied', ...(rest === '' ? {} : { reason: rest }) },
  };
}
