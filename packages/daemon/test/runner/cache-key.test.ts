import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { cacheKeyOf } from '../../src/runner/cache-key.ts';

const one = sessionIdSchema.parse('ses_01jd0000000000000000000001');
const two = sessionIdSchema.parse('ses_01jd0000000000000000000002');

function created(root: string) {
  const event = {
    kind: 'session.created',
    root,
    model: 'm',
    mode: 'edit',
    system: 's',
    tools: '[]',
    version: '1',
  } as const;
  return foldSession([{ seq: 1, at: 0, event }]);
}

test("sessions of one repository share a key; at ChatGPT's backend each session is its own", () => {
  const api = { wire: 'responses' } as const;
  const codex = { wire: 'responses', codex: true } as const;
  expect(cacheKeyOf(created('/a'), one, api)).toBe(cacheKeyOf(created('/a'), two, api));
  expect(cacheKeyOf(created('/a'), one, api)).not.toBe(cacheKeyOf(created('/b'), one, api));
  expect([cacheKeyOf(created('/a'), one, codex), cacheKeyOf(created('/a'), two, codex)]).toEqual([one, two]);
});
