import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import type { Feed } from '@zerd/protocol/node/follow';
import { dearChoice, type Message } from '../src/app/forecast.ts';
import { pressed } from './keys.ts';

const dear = {
  warn: true,
  prompt: 300_000,
  rewritten: 300_000,
  costPico: 1e12,
  ways: ['send', 'compact', 'new'].map((kind) => ({ kind, costPico: 1e12, prompt: 1_000 })),
};

/** What is done with a message that is dear when one way is chosen, and nothing but the forecast can be had. */
async function choosing(way: string): Promise<readonly string[]> {
  const done: string[] = [];
  const gone = new ZerdError('disconnected', 'The connection closed.');
  const request = async (method: string) => {
    if (method === 'cost/forecast') return dear;
    throw gone;
  };
  const message: Message = {
    feed: { request: request as unknown as Feed['request'] },
    sessionId: sessionIdSchema.parse('ses_1'),
    text: 'hello',
    send: async () => Promise.reject(gone),
    sayAnew: async () => Promise.reject(gone),
    takeBack: () => void done.push('back'),
    failed: (error) => void done.push(String(error)),
  };
  const choice = await dearChoice(message);
  choice?.lines(80, 20);
  const type = (name: string) => choice?.take(pressed(name));
  for (const letter of way) type(letter);
  choice?.lines(80, 20);
  type('enter');
  choice?.closed?.();
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

test.each(['send it', 'sum up', 'new session'])(
  'chosen by %j and refused, what was written comes back',
  async (way) => {
    expect(await choosing(way)).toEqual(['back', expect.stringContaining('The connection closed.')]);
  },
);

test('left without a choice, it comes back', async () => {
  expect(await choosing('nothing like it')).toEqual(['back']);
});
