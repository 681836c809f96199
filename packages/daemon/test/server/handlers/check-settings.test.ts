import { expect, test } from '@jest/globals';
import { checkSettings } from '../../../src/server/handlers/check-settings.ts';

test('settings that do what they say are in order; what does not is told, within bounds', () => {
  expect(checkSettings([])).toEqual({ ok: true, says: 'Every setting is understood.' });
  expect(checkSettings(['One.', 'Two.'])).toEqual({
    ok: false,
    says: 'One. Two.',
    todo: 'Mend what is named: until then it has no effect, or not the one that was meant.',
  });
  const many = Array.from({ length: 200_000 }, (_, index) => `W${index}.`);
  expect(checkSettings(many).says).toBe('W0. W1. W2. W3. W4. W5. W6. W7. And 199992 more.');
});
