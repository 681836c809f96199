import { expect, test } from '@jest/globals';
import { decisionOf, type OwnQuestion } from '../../src/session/own-questions.ts';

test.each<[OwnQuestion, 'yes' | 'no' | undefined, readonly string[]]>([
  ['retry', 'yes', ['Try again', 'try again.', ' again ', 'retry', 'go on', 'Continue!', 'yes', 'y', 'ok']],
  ['retry', 'no', ['Stop', 'stop it', 'no', 'no, leave it', 'N']],
  ['retry', undefined, ['', 'also fix the docs', 'note the port', 'yesterday it ran', 'raise it', 'stopwatch']],
  ['budget', 'yes', ['Raise it by as much', 'raise it', 'raise', 'Yes.', 'y']],
  ['budget', 'no', ['Stop', 'no', 'n']],
  ['budget', undefined, ['', 'what is that?', 'try again', 'raise the timeout in a.ts', 'go on with the docs']],
])('to %s, %s is said by some words alone', (about, decision, answers) => {
  expect(answers.map((answer) => decisionOf(about, answer))).toEqual(answers.map(() => decision));
});
