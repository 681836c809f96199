/** While the user is asked about a call, the mode is changed: what it allows is granted by it, what it leaves open stays asked. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import type { Store } from '../../src/base/ports.ts';
import { noting, openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let endLost = () => {};
afterEach(() => {
  endLost();
  return scene.close();
});

const appends = { name: 'shell', input: { command: 'echo x >> ran' } };
const writes = { name: 'write', input: { path: 'ran', content: 'x\n' } };
const ran = () => (existsSync(join(scene.root, 'ran')) ? readFileSync(join(scene.root, 'ran'), 'utf8') : '');
const only = <K extends SessionEvent['kind']>(id: SessionId, kind: K) =>
  scene.events(id).flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));

async function begin(wish: SceneWish & { readonly call?: typeof appends | typeof writes }): Promise<SessionId> {
  scene = await openScene({ steps: [{ calls: [wish.call ?? appends] }], ...wish });
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  await scene.say('Go', { sessionId });
  return sessionId;
}

async function asked(wish: Parameters<typeof begin>[0] = {}): Promise<SessionId> {
  const sessionId = await begin(wish);
  await scene.until(sessionId, 'approval.requested');
  return sessionId;
}

/** One question, granted by the mode, and the call run once. */
async function expectGranted(sessionId: SessionId, mode: Mode, by?: string): Promise<void> {
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(only(sessionId, 'approval.answered')).toEqual([
    {
      ...{ kind: 'approval.answered', turnId: expect.any(String), approvalId: expect.any(String) },
      ...{ decision: 'granted', reason: `the mode is ${mode}`, ...(by && { by }) },
    },
  ]);
  expect(only(sessionId, 'approval.requested')).toHaveLength(1);
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'ok' }]);
  expect(ran()).toBe('x\n');
}

test.each([
  ['full', appends],
  ['full', writes],
  ['edit', writes],
] as const)('the mode %s grants what it allows, and the log says that it did, and who chose it', async (mode, call) => {
  const sessionId = await asked({ call });
  await scene.runner.setMode(sessionId, mode, 'zerd');
  await expectGranted(sessionId, mode, 'zerd');
});

test.each([
  ['edit', appends],
  ['read-only', appends],
  ['read-only', writes],
] as const)('the mode %s leaves open what it does not allow', async (mode, call) => {
  const sessionId = await asked({ call });
  const open = scene.runner.pendingApprovals(sessionId);
  await scene.runner.setMode(sessionId, mode);
  expect(scene.runner.pendingApprovals(sessionId)).toEqual(open);
  expect(only(sessionId, 'approval.answered')).toEqual([]);
  const [{ approvalId, digest } = { approvalId: '' as never, digest: '' }] = open;
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'denied' });
  expect(await scene.until(sessionId, 'toolCall.finished')).toMatchObject({ outcome: 'denied' });
  expect(ran()).toBe('');
});

test('the mode and what it grants are one commit: a daemon that dies behind it asks nothing again and runs the call once', async () => {
  const commits: (readonly string[])[] = [];
  const died = diesBefore('toolCall.started');
  const sessionId = await asked({
    throughStore: (store) => died.throughStore(noting(store, (kinds) => commits.push(kinds))),
  });
  await scene.runner.setMode(sessionId, 'full');
  await died.atIt;
  await scene.restart();
  await expectGranted(sessionId, 'full');
  expect(commits).toContainEqual(['mode.changed', 'approval.answered']);
});

test('what was asked before a restart is granted by a mode that is chosen while the next daemon waits for the key', async () => {
  const sessionId = await asked();
  await scene.restart(undefined, { client: false });
  await scene.runner.setMode(sessionId, 'full');
  expect(scene.runner.pendingApprovals(sessionId)).toEqual([]);
  scene.runner.offerEnv(scene.env);
  await expectGranted(sessionId, 'full');
});

test('what the user denied right before the daemon died is not run by a wider mode that came meanwhile', async () => {
  const died = diesBefore('toolCall.finished');
  const sessionId = await asked({ throughStore: died.throughStore });
  const [{ approvalId, digest } = { approvalId: '' as never, digest: '' }] = scene.runner.pendingApprovals(sessionId);
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'denied' });
  await died.atIt;
  await scene.restart(undefined, { client: false });
  await scene.runner.setMode(sessionId, 'full');
  scene.runner.offerEnv(scene.env);
  await scene.until(sessionId, 'turn.finished');
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'denied' }]);
  expect(ran()).toBe('');
});

test.each([
  ['before', 'approval.requested'],
  ['after', 'mode.changed'],
] as const)(
  'a mode that is chosen as it is being asked, and committed %s it, grants it all the same',
  async (_, held) => {
    let changed: Promise<void> | undefined;
    const sessionId = await begin({
      throughStore: (store) => ({
        ...store,
        async append(id, events) {
          const [first] = events;
          if (first?.kind === 'approval.requested') changed ??= scene.runner.setMode(id, 'full');
          if (first?.kind === held && held === 'approval.requested') await changed;
          if (first?.kind === held && held === 'mode.changed') await scene.until(id, 'approval.requested');
          return await store.append(id, events);
        },
      }),
    });
    await expectGranted(sessionId, 'full');
    await changed;
  },
);

/** The first event of this kind is never committed: the process dies right before it. */
function diesBefore(kind: SessionEvent['kind']) {
  let die = () => {};
  const atIt = new Promise<void>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>((_, reject) => {
    endLost = () => reject(new ZerdError('store_failed', 'The daemon is dead.'));
  });
  never.catch(() => {});
  let first = true;
  return {
    atIt,
    throughStore: (store: Store): Store => ({
      ...store,
      append(id, events) {
        if (!first || events.every((event) => event.kind !== kind)) return store.append(id, events);
        first = false;
        die();
        return never;
      },
    }),
  };
}
