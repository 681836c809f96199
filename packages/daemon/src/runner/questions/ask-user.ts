/**
 * Does: asks the user in words and waits, visibly and within a deadline, for the first answer of any client. The question
 * stands in the log before anybody waits; one that was asked before a restart is waited for again. An interrupt rejects
 * with the signal's reason, and the end of the turn closes the question.
 */
import type { OpenQuestion } from '@zerd/core/session/state';
import { type CallId, questionIdSchema } from '@zerd/protocol/common/ids';
import type { PendingQuestion } from '@zerd/protocol/common/methods';
import { answerMs } from '../../base/answer-time.ts';
import { newId } from '../new-id.ts';
import type { TurnContext } from '../turn-context.ts';

/** What a wait for the user needs of a turn. */
export type Asking = Pick<
  TurnContext,
  'sessionId' | 'turnId' | 'signal' | 'clock' | 'waits' | 'questions' | 'state' | 'append'
>;

export interface UserQuestion {
  /** The call by which the model asks; absent: zerd itself does. */
  readonly callId?: CallId;
  /** Why zerd itself asks. */
  readonly about?: PendingQuestion['about'];
  readonly text: string;
  readonly options?: readonly string[];
  /** Called when the question stands in the log. */
  readonly onAsked?: () => void;
}

/** Without `answer` there is none, and `reason` says why. */
export interface UserAnswer {
  readonly answer?: string;
  readonly reason?: string;
}

/** As long as an approval may be waited for. */
export const questionDeadlineMs = 24 * 60 * 60 * 1000;

export const nobodyCanAnswer = 'nobody can answer in a headless run';
const nobodyAnswered = 'nobody answered within 24 hours';

export async function askUser(turn: Asking, question: UserQuestion): Promise<UserAnswer> {
  const { turnId } = turn;
  // A key comes from a client that connects: nobody has to be there to answer.
  if (turn.state().turn?.headless && question.about !== 'key') {
    const asked = askedEvent(turn, question);
    const { questionId } = asked;
    await turn.append([asked, { kind: 'question.answered', turnId, questionId, reason: nobodyCanAnswer }]);
    return { reason: nobodyCanAnswer };
  }
  const { questionId, askedAt } = pendingOf(turn, question) ?? (await askAnew(turn, question));
  question.onAsked?.();
  const answer = await waited(turn, question, questionId, askedAt);
  if (answer !== undefined) return { answer };
  await turn.append([{ kind: 'question.answered', turnId, questionId, reason: nobodyAnswered }]);
  return { reason: nobodyAnswered };
}

async function waited(
  { clock, waits, sessionId, signal, questions }: Asking,
  { about }: UserQuestion,
  questionId: OpenQuestion['questionId'],
  askedAt: number,
): Promise<string | undefined> {
  const ms = answerMs(askedAt, questionDeadlineMs, clock.wall());
  const shown = waits.begin(about === undefined ? 'an answer' : nameOf[about], sessionId, clock.now() + ms);
  try {
    return await questions.wait(questionId, { ms, signal });
  } finally {
    shown[Symbol.dispose]();
  }
}

const nameOf: Readonly<Record<NonNullable<UserQuestion['about']>, string>> = {
  retry: 'your word whether to try again',
  budget: 'your word whether to spend more',
  key: 'the key of a provider',
};

/** The same question, asked before a restart. */
function pendingOf(turn: Asking, { callId, about }: UserQuestion): OpenQuestion | undefined {
  return turn
    .state()
    .pendingQuestions.find((open) => open.turnId === turn.turnId && open.callId === callId && open.about === about);
}

async function askAnew(turn: Asking, question: UserQuestion): Promise<Pick<OpenQuestion, 'questionId' | 'askedAt'>> {
  const asked = askedEvent(turn, question);
  const { lastAt } = await turn.append([asked]);
  return { questionId: asked.questionId, askedAt: lastAt };
}

function askedEvent({ turnId, clock }: Asking, { callId, about, text, options = [] }: UserQuestion) {
  return {
    kind: 'question.asked' as const,
    turnId,
    questionId: questionIdSchema.parse(newId('que', clock)),
    ...(callId === undefined ? {} : { callId }),
    ...(about === undefined ? {} : { about }),
    text,
    ...(options.length === 0 ? {} : { options: [...options] }),
  };
}
