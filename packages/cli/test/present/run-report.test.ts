import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { closingLines, reportJson } from '../../src/present/run-report.ts';
import { addEvent, emptySummary, type Summary } from '../../src/present/summary.ts';
import { check } from '../check.ts';
import { asked, ended, wants } from '../events.ts';
import { sessionId, turnId } from '../fake-daemon.ts';

const fold = (events: readonly SessionEvent[]): Summary => events.reduce(addEvent, emptySummary);

test('the way on says --trust again when the trust was for one run', () => {
  const report = { sessionId, turnId, summary: fold([ended('interrupted')]), trustedOnce: true };
  expect(closingLines(report).at(-1)?.text).toBe(
    'What was done is kept. Go on: zerd run --session ses_1 --trust "go on"',
  );
});

const close = (events: readonly SessionEvent[]) =>
  closingLines({ sessionId, turnId, summary: fold(events) }).map((line) => line.text);

const question = 'zerd: needs an answer, and nobody is here to give it. May this be done?';

check('a turn that did not simply succeed says why and what to do', close, [
  [[ended('done')], []],
  [
    [ended('failed', { code: 'provider_auth', message: 'The key was refused.' })],
    [
      'zerd: failed: The key was refused. (provider_auth)',
      'Check the key and its rights.',
      'What was done is kept. Go on: zerd run --session ses_1 "go on"',
    ],
  ],
  [
    [asked(1), asked(1), ended('limit')],
    ['zerd: stopped after 2 requests: a limit was reached', 'Go on: zerd run --session ses_1 --max-requests 4 "go on"'],
  ],
  [
    [asked(1), ended('limit', { code: 'limit_reached', message: 'The budget of the session of $1.00 is reached.' })],
    [
      'zerd: stopped after 1 request: The budget of the session of $1.00 is reached.',
      'Go on: zerd run --session ses_1 --max-cost USD "go on"',
    ],
  ],
  [
    [wants('shell', 'rm -rf build'), ended('needs-answer')],
    [question, '  rm -rf build', 'It was not done. Allow it: zerd run --session ses_1 --mode full "go on"'],
  ],
  [
    [wants('edit', 'a.ts'), ended('needs-answer')],
    [question, '  a.ts', 'It was not done. Allow it: zerd run --session ses_1 --mode edit "go on"'],
  ],
  [
    [ended('interrupted', { code: 'interrupted', message: 'interrupted by the user' })],
    ['zerd: interrupted by the user', 'What was done is kept. Go on: zerd run --session ses_1 "go on"'],
  ],
  [[ended('interrupted')], ['zerd: interrupted', 'What was done is kept. Go on: zerd run --session ses_1 "go on"']],
]);

test('the report has its fields in this order', () => {
  expect(Object.keys(reportJson({ sessionId, turnId, summary: emptySummary }))).toEqual([
    'sessionId',
    'turnId',
    'outcome',
    'text',
    'requests',
    'toolCalls',
    'requestBytes',
    'usage',
    'costUsd',
    'unpricedRequests',
    'filesChanged',
    'asks',
    'failure',
  ]);
});
