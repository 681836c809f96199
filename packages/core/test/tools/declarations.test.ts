import { expect, test } from '@jest/globals';
import { declareTools, toolInputs } from '@zerd/core/tools/declarations';

test('the tool block stays within its budget of bytes, with room for six more tools', () => {
  expect(JSON.stringify(declareTools()).length).toBeLessThanOrEqual(3_500);
});

test('an unknown argument is refused by every tool', () => {
  for (const schema of Object.values(toolInputs)) {
    expect(schema.safeParse({ sandbox: false }).success).toBe(false);
  }
});
