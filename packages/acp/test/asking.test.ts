import type { AgentContext, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { PendingApproval } from '@zerd/protocol/common/methods';
import type { Feed } from '@zerd/protocol/node/follow';
import { createAsking } from '../src/asking.ts';

const session = 'ses_parent' as never;
const approval = (id: string, more: Partial<PendingApproval> = {}): PendingApproval => ({
  approvalId: `apr_${id}` as never,
  turnId: 'turn_1' as never,
  tool: 'shell',
  asks: `run ${id}`,
  digest: id,
  ...more,
});

type Wish = Pick<RequestPermissionRequest, 'toolCall' | 'options'>;

/** An editor whose person chooses when the test does, and a daemon that notes its answers. */
function scene(refuse?: unknown) {
  const asked: {
    readonly id: string;
    readonly options: readonly string[];
    choose(optionId: string): void;
    withdrawn: boolean;
  }[] = [];
  const answers: unknown[] = [];
  const told: string[] = [];
  const editor = {
    request: (_method: string, wish: Wish, { cancellationSignal }: never) =>
      new Promise((resolve, reject) => {
        const one = {
          id: wish.toolCall.toolCallId,
          options: wish.options.map(({ kind, name }) => `${kind} ${name}`),
          choose: (optionId: string) => resolve({ outcome: { outcome: 'selected', optionId } }),
          withdrawn: false,
        };
        asked.push(one);
        (cancellationSignal as AbortSignal).addEventListener('abort', () => {
          one.withdrawn = true;
          reject(new Error('withdrawn'));
        });
      }),
  } as unknown as AgentContext;
  const feed = {
    request: async (method: string, params: unknown) => {
      answers.push([method, params]);
      if (refuse !== undefined) throw refuse;
      return {};
    },
  } as unknown as Feed;
  const asking = createAsking({ editor, feed: () => feed, sessionId: session, tell: (text) => told.push(text) });
  return { asking, asked, answers, told };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what a sub-agent asks is answered in its own session', async () => {
  const { asking, asked, answers } = scene();
  asking.all([approval('a', { sessionId: 'ses_child' as never })], []);
  asked[0]?.choose('allow');
  await settled();
  expect(answers).toEqual([
    ['approval/answer', { sessionId: 'ses_child', approvalId: 'apr_a', digest: 'a', decision: 'granted' }],
  ]);
});

test('what may be allowed for good is a choice of its own, and names what would run unasked', async () => {
  const { asking, asked, answers } = scene();
  asking.all([approval('a', { always: ['npm test *', 'make'] }), approval('b')], []);
  expect(asked.map(({ options }) => options)).toEqual([
    ['allow_once Allow', 'allow_always Always allow here: npm test *, make', 'reject_once Reject'],
    ['allow_once Allow', 'reject_once Reject'],
  ]);
  asked[0]?.choose('always');
  await settled();
  expect(answers).toEqual([
    ['approval/answer', { sessionId: session, approvalId: 'apr_a', digest: 'a', decision: 'granted', always: true }],
  ]);
});

test('what is listed again while its answer is on its way is not asked twice', async () => {
  const { asking, asked } = scene();
  const [a, b] = [approval('a'), approval('b')];
  asking.approval(a);
  asked[0]?.choose('reject');
  await settled();
  asking.all([a, b], []);
  asking.all([a, b], []);
  expect(asked.map(({ id }) => id)).toEqual(['apr_a', 'apr_b']);
});

test('what is listed no more, was answered elsewhere or ended with its turn is withdrawn', async () => {
  const { asking, asked, answers, told } = scene();
  asking.all([approval('a'), approval('b'), approval('c', { turnId: 'turn_2' as never })], []);
  asking.all([approval('b'), approval('c', { turnId: 'turn_2' as never })], []);
  asking.over('apr_b');
  asking.turnOver('turn_2' as never);
  await settled();
  expect(asked.map(({ withdrawn }) => withdrawn)).toEqual([true, true, true]);
  expect([answers, told]).toEqual([[], []]);
});

test('an answer that did not arrive is said, and asked for again when it is still pending', async () => {
  const { asking, asked, told } = scene(new ZerdError('disconnected', 'The daemon is gone.'));
  asking.approval(approval('a'));
  asked[0]?.choose('allow');
  await settled();
  expect(told).toEqual(['The daemon is gone.']);
  asking.all([approval('a')], []);
  expect(asked).toHaveLength(2);
});

test('another client that was faster is no news (F-31)', async () => {
  const { asking, asked, told } = scene(new ZerdError('already_resolved', 'The first answer holds.'));
  asking.approval(approval('a'));
  asked[0]?.choose('allow');
  await settled();
  expect(told).toEqual([]);
});
