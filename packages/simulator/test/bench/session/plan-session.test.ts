/** The plan of a recorded session: the same for the same recording, and of its shape. */
import { expect, test } from '@jest/globals';
import { planSession } from '../../../src/bench/session/plan-session.ts';
import { parseRecorded } from '../../../src/bench/session/recorded.ts';
import { oddSession } from './odd-session.ts';

const session = parseRecorded(JSON.stringify(oddSession()), 'odd');
const plan = planSession(session);

test('the same recording gives the same plan', () => {
  expect(planSession(session)).toEqual(plan);
});

test('files have the recorded bytes and lines, endings included; what is written unseen is not there', () => {
  const shapes = Object.fromEntries(
    [...plan.files]
      .filter(([path]) => session.files.has(path))
      .map(([path, text]) => [
        path,
        [text.split('\n').length - 1, Buffer.byteLength(text), text.split('\r\n').length - 1],
      ]),
  );
  expect(shapes).toEqual({
    'src/größe 世界.ts': [120, 4_800, 0],
    'src/dos.txt': [40, 1_600, 40],
    'src/mixed.txt': [40, 1_600, 7],
    'empty.md': [0, 0, 0],
    'one-line.min.js': [0, 9_000, 0],
    'blank.txt': [50, 50, 0],
    'tiny.txt': [30, 70, 0],
    'notes.ipynb': [20, 700, 0],
    'picture.png': [3, 300, 0],
    'untouched.go': [100, 3_000, 0],
  });
});

test('every recorded call is played, in its order and with its turn', () => {
  const ids = plan.turns.flatMap(({ steps }) => steps.flatMap(({ calls = [] }) => calls.map(({ id }) => id)));
  expect(ids).toEqual(plan.calls.flatMap((call) => call.ids));
  expect(plan.calls).toHaveLength(session.calls.length);
  const perTurn = plan.turns.map(({ steps }) => steps.flatMap(({ calls = [] }) => calls).length);
  expect([perTurn[1], perTurn.length]).toEqual([0, 4]);
});

test('all gaps pass on the virtual clock, and prompts are as long as recorded', () => {
  const steps = plan.turns.flatMap((turn) => turn.steps);
  const gaps = session.requests.reduce((sum, { gapMs }) => sum + gapMs, 0);
  expect(steps.reduce((sum, { advanceMs = 0 }) => sum + advanceMs, 0)).toBe(gaps);
  expect(plan.turns.map(({ prompt }) => Buffer.byteLength(prompt))).toEqual([351, 1, 42, 70_000]);
});
