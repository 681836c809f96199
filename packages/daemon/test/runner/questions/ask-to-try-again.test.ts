import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingQuestion } from '@zerd/protocol/common/methods';
import { type ManualClock, manualClock } from '../../../../../test/support/manual-clock.ts';
import { only } from '../compaction-scene.ts';
import { openScene, type Scene } from '../harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout;
afterEach(async () => {
  clearInterval(driving);
  await scene.close();
});

/** A provider that is overloaded for as long as a test lets it be (F-11), and time that passes. */
async function storm(): Promise<{ sessionId: SessionId; end: Promise<unknown> }> {
  clock = manualClock();
  const faults = [{ fault: { kind: 'overloaded' } as const }];
  scene = await openScene({ player: () => ({ text: 'Done.' }), faults, clock });
  driving = setInterval(() => clock.advance(1_000), 2);
  return scene.say('Go');
}

async function asked(sessionId: SessionId, times = 1): Promise<PendingQuestion> {
  while (only(scene.events(sessionId), 'question.asked').length < times || scene.runner.waits().length === 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  const [question] = scene.runner.pendingQuestions(sessionId);
  if (question === undefined) throw new Error('nothing is asked');
  return question;
}

const answer = (sessionId: SessionId, { questionId }: PendingQuestion, words: string) =>
  scene.runner.answerQuestion({ sessionId, questionId, answer: words });

test('R-17, F-11: in a storm of overload five attempts are made, then the turn waits in sight for a word, and goes on with five more', async () => {
  const { sessionId, end } = await storm();
  const question = await asked(sessionId);
  expect(question).toMatchObject({ about: 'retry', options: ['Try again', 'Stop'] });
  expect(question.text).toMatch(
    /^No answer came from sim\/sim\. .* 5 attempts failed\. \(provider_overloaded\) .* Try again\?$/,
  );
  expect(scene.gateway.requests).toHaveLength(5);
  expect(scene.runner.waits()).toMatchObject([{ for: 'your word whether to try again', sessionId }]);
  await answer(sessionId, question, 'Try again');
  const second = await asked(sessionId, 2);
  expect(scene.gateway.requests).toHaveLength(10);
  expect(only(scene.events(sessionId), 'request.started').map(({ attempt }) => attempt)).toEqual([
    ...[1, 2, 3, 4, 5],
    ...[1, 2, 3, 4, 5],
  ]);
  scene.gateway.setFaults([]);
  await answer(sessionId, second, 'try again');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(scene.gateway.requests).toHaveLength(11);
  expect(scene.runner.pendingQuestions(sessionId)).toEqual([]);
});

test.each(['Stop', 'no, leave it'])('answered with %j the turn ends as failed, and why', async (words) => {
  const { sessionId, end } = await storm();
  await answer(sessionId, await asked(sessionId), words);
  expect(await end).toMatchObject({
    outcome: 'failed',
    failure: { code: 'provider_overloaded', message: expect.stringMatching(/5 attempts failed\.$/) },
  });
  expect(scene.gateway.requests).toHaveLength(5);
});

test('what is neither a yes nor a no is refused, for it may be meant for the model, and the question stays', async () => {
  const { sessionId, end } = await storm();
  const question = await asked(sessionId);
  await expect(answer(sessionId, question, 'also fix the docs')).rejects.toMatchObject({
    code: 'invalid_params',
    message: "'also fix the docs' does not answer what is asked; nothing was done. Answer with: Try again, or Stop.",
  });
  expect(scene.runner.pendingQuestions(sessionId)).toEqual([question]);
  await answer(sessionId, question, 'Stop');
  expect(await end).toMatchObject({ outcome: 'failed' });
});

test('nobody answers for a day: the turn ends as failed', async () => {
  const { sessionId, end } = await storm();
  await asked(sessionId);
  clock.advance(24 * 3_600_000);
  expect(await end).toMatchObject({ outcome: 'failed', failure: { code: 'provider_overloaded' } });
  expect(only(scene.events(sessionId), 'question.answered')).toMatchObject([
    { reason: 'nobody answered within 24 hours' },
  ]);
});

test('an interrupt ends the wait at once, and the question is closed', async () => {
  const { sessionId, end } = await storm();
  await asked(sessionId);
  expect(await scene.runner.interrupt(sessionId)).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  expect(scene.runner.pendingQuestions(sessionId)).toEqual([]);
  expect(scene.runner.waits()).toEqual([]);
});
