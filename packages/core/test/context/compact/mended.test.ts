import { expect, test } from '@jest/globals';
import { mendedIn } from '@zerd/core/context/compact/mended';

const check = (diff: readonly string[], mended: readonly string[]) => expect(mendedIn(diff)).toEqual(mended);

test.each([
  ['go', '--- FAIL: TestA (0.02s)', '--- PASS: TestA (0.11s)'],
  ['jest', '✕ adds two numbers (12 ms)', '✓ adds two numbers (3 ms)'],
  ['cargo', 'test sum::adds ... FAILED', 'test sum::adds ... ok'],
  ['tap', 'not ok 3 - adds', 'ok 3 - adds'],
  ['bun', '(fail) sum > adds [0.31ms]', '(pass) sum > adds [0.02ms]'],
])('a test of %s that now passes is mended, with the lines behind it', (_runner, failing, passing) => {
  check([' before', `-${failing}`, '-    a.go:7: wrong', `+${passing}`, ' behind'], [failing, 'a.go:7: wrong']);
});

test('what is merely gone, passes under another name or fails in other words is not mended', () => {
  check(['---- FAIL: TestA', '-    a.go:7: wrong', ' ok b'], []);
  check(['---- FAIL: TestA', '+--- PASS: TestAB'], []);
  check(['---- FAIL: TestA', '+--- FAIL: TestA (0.3s)'], []);
  check(['---- FAIL: TestA', ' ok b', '+--- PASS: TestA'], []);
  check(['-    a.go:7: wrong', '+--- PASS: TestA'], []);
});

test('of several tests in one change those are mended that pass', () => {
  const failing = ['---- FAIL: TestA', '-    a.go:7: wrong', '---- FAIL: TestB', '-    b.go:9: wrong'];
  check(
    [...failing, '+--- PASS: TestA', '+--- FAIL: TestB', '+    b.go:10: wrong'],
    ['--- FAIL: TestA', 'a.go:7: wrong'],
  );
});
