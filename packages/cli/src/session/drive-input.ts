/**
 * Reads what a script wants of a conversation: one JSON object a line, with exactly one word. Pure. Invariant: a line is
 * understood whole or not at all.
 */
import type { ApprovalId, QuestionId } from '@zerd/protocol/common/ids';

export type DriveWish =
  | { readonly kind: 'say' | 'steer' | 'queue'; readonly text: string }
  | {
      readonly kind: 'approval';
      readonly approvalId: ApprovalId;
      readonly decision: 'granted' | 'denied';
      readonly reason: string | undefined;
    }
  | { readonly kind: 'question'; readonly questionId: QuestionId; readonly answer: string }
  | { readonly kind: 'interrupt' };

/** What each word takes, for the help and for what is said of a line that is not understood. */
export const driveWords: Readonly<Record<string, string>> = {
  say: '{"say":"…"} begins a turn; while one runs, waits for its end',
  steer: '{"steer":"…"} goes to the turn that runs, before its next request; begins one when none runs',
  queue: '{"queue":"…"} begins a turn when those before it have ended well',
  answer:
    '{"answer":{"approvalId":"apr_…","decision":"granted"}}, or "denied" with a "reason"; {"answer":{"questionId":"que_…","answer":"…"}}',
  interrupt: '{"interrupt":true} ends the turn that runs',
};

/** A string says why it was not understood. What some programs put before their first line (a BOM) says nothing. */
export function readDriveLine(line: string): DriveWish | string {
  const given = parsed(line.replace(/^\uFEFF/, ''));
  const [entry, ...more] = given === undefined ? [] : Object.entries(given);
  if (entry === undefined || more.length > 0) return `A line is a JSON object with one of: ${words()}.`;
  const [word, value] = entry;
  const says = Object.hasOwn(driveWords, word) ? driveWords[word] : undefined;
  if (says === undefined) return `There is no '${word}'. A line has one of: ${words()}.`;
  return wishOf(word, value) ?? `It is not as it should be: ${says}.`;
}

function words(): string {
  return Object.keys(driveWords).join(', ');
}

function parsed(line: string): object | undefined {
  try {
    return asObject(JSON.parse(line));
  } catch {
    // Said to the script by the caller, as of JSON that is no object.
    return undefined;
  }
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function wishOf(word: string, value: unknown): DriveWish | undefined {
  switch (word) {
    case 'say':
    case 'steer':
    case 'queue':
      return typeof value === 'string' && value.trim() !== '' ? { kind: word, text: value } : undefined;
    case 'interrupt':
      return value === true ? { kind: 'interrupt' } : undefined;
    default:
      return answerOf(asObject(value));
  }
}

function answerOf(given: Readonly<Record<string, unknown>> | object | undefined): DriveWish | undefined {
  const { approvalId, decision, reason, questionId, answer, ...more }: Readonly<Record<string, unknown>> = {
    ...given,
  };
  if (Object.keys(more).length > 0) return undefined;
  if (isId(approvalId, 'apr_') && questionId === undefined && answer === undefined) {
    if (decision !== 'granted' && decision !== 'denied') return undefined;
    if (reason !== undefined && typeof reason !== 'string') return undefined;
    return { kind: 'approval', approvalId: approvalId as ApprovalId, decision, reason };
  }
  if (!isId(questionId, 'que_') || approvalId !== undefined || decision !== undefined || reason !== undefined)
    return undefined;
  if (typeof answer !== 'string' || answer === '') return undefined;
  return { kind: 'question', questionId: questionId as QuestionId, answer };
}

function isId(value: unknown, prefix: string): value is string {
  return typeof value === 'string' && value.startsWith(prefix);
}
