import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { driveWords, readDriveLine } from '../../src/session/drive-input.ts';

function check(line: string, expected: unknown): void {
  expect(readDriveLine(line)).toEqual(expected);
}

test('each word is understood with what it takes', () => {
  check('{"say":"mend it"}', { kind: 'say', text: 'mend it' });
  check('{"steer":"not the tests"}', { kind: 'steer', text: 'not the tests' });
  check('{"queue":"then the docs"}', { kind: 'queue', text: 'then the docs' });
  check('{"interrupt":true}', { kind: 'interrupt' });
  check('{"answer":{"approvalId":"apr_1","decision":"granted"}}', {
    kind: 'approval',
    approvalId: 'apr_1',
    decision: 'granted',
    reason: undefined,
  });
  check('{"answer":{"approvalId":"apr_1","decision":"denied","reason":"no"}}', {
    kind: 'approval',
    approvalId: 'apr_1',
    decision: 'denied',
    reason: 'no',
  });
  check('{"answer":{"questionId":"que_1","answer":"red"}}', { kind: 'question', questionId: 'que_1', answer: 'red' });
});

test('a byte order mark before a line is no part of it', () => {
  check('\uFEFF{"say":"mend it"}', { kind: 'say', text: 'mend it' });
});

test('what is no wish says what a line is', () => {
  const words = 'A line is a JSON object with one of: say, steer, queue, answer, interrupt.';
  for (const line of ['nonsense', '[]', '"say"', '{}', 'null', '{"say":"a","queue":"b"}']) check(line, words);
  check('{"toString":"a"}', `There is no 'toString'. A line has one of: say, steer, queue, answer, interrupt.`);
});

test('a word with something else than it takes says what it takes', () => {
  const wrong = [
    '{"say":""}',
    '{"say":1}',
    '{"interrupt":false}',
    '{"answer":"yes"}',
    '{"answer":{"approvalId":"apr_1"}}',
    '{"answer":{"approvalId":"apr_1","decision":"maybe"}}',
    '{"answer":{"approvalId":"que_1","decision":"granted"}}',
    '{"answer":{"approvalId":"apr_1","decision":"granted","questionId":"que_1"}}',
    '{"answer":{"questionId":"que_1","answer":"red","more":1}}',
  ];
  for (const line of wrong) {
    const [word = ''] = Object.keys(JSON.parse(line));
    check(line, `It is not as it should be: ${driveWords[word]}.`);
  }
});

test('any line is understood or explained, never thrown at', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      expect(['string', 'object']).toContain(typeof readDriveLine(line));
    }),
  );
});
