import { expect, test } from '@jest/globals';
import { type SessionId, sessionIdSchema } from '@zerd/protocol/common/ids';
import type { SessionLink, SessionListener } from '../src/app/session-link.ts';
import { createShownSession } from '../src/app/shown-session.ts';

const id = (name: string) => sessionIdSchema.parse(`ses_${name}`);

/** Sessions that open when they are let, and what is told of them. */
function scene(begins = Promise.resolve()) {
  const told: string[] = [];
  const closed: string[] = [];
  const opens = new Map<SessionId, () => void>();
  const listeners = new Map<SessionId, SessionListener>();
  let created = 0;
  const shown = createShownSession({
    create: async () => {
      created += 1;
      await begins;
      return id(`new${created}`);
    },
    turnTo: (sessionId) => {
      told.push(`turn to ${sessionId ?? 'none'}`);
      const tell = () => void told.push(`of ${sessionId}`);
      return { event: tell, delta: tell, output: tell, pending: tell, synced: tell, lost: tell };
    },
    link: (sessionId, listener) => {
      listeners.set(sessionId, listener);
      const link = { sessionId, close: () => void closed.push(sessionId) } as unknown as SessionLink;
      return new Promise((resolve) => opens.set(sessionId, () => resolve(link)));
    },
  });
  const happens = (sessionId: SessionId) => listeners.get(sessionId)?.lost('');
  const opened = async (sessionId: SessionId) => {
    while (!opens.has(sessionId)) await new Promise((resolve) => setImmediate(resolve));
    opens.get(sessionId)?.();
  };
  return { shown, told, closed, happens, opened, created: () => created };
}

test('what is said before the first session is there begins one session, and goes to it', async () => {
  const { shown, told, opened } = scene();
  const said = Promise.all([shown.orBegun(), shown.orBegun()]);
  await opened(id('new1'));
  expect((await said).map(({ sessionId }) => sessionId)).toEqual([id('new1'), id('new1')]);
  expect((await shown.orBegun()).sessionId).toBe(id('new1'));
  expect(told).toEqual(['turn to ses_new1']);
});

test('what is said while a session opens goes to that one', async () => {
  const { shown, opened } = scene();
  const opening = shown.open(id('a'));
  const said = shown.orBegun();
  await opened(id('a'));
  await opening;
  expect((await said).sessionId).toBe(id('a'));
});

test('one that opens late, when another one is shown, is closed, and nothing of it is told', async () => {
  const { shown, told, closed, happens, opened } = scene();
  const late = shown.open(id('late'));
  const other = shown.open(id('other'));
  await opened(id('other'));
  await opened(id('late'));
  await Promise.all([late, other]);
  happens(id('late'));
  happens(id('other'));
  expect(shown.link?.sessionId).toBe(id('other'));
  expect(closed).toEqual([id('late')]);
  expect(told).toEqual(['turn to ses_late', 'turn to ses_other', 'of ses_other']);
});

test('what was to begin a session comes back when another one was opened meanwhile', async () => {
  let letBegin = () => {};
  const begins = new Promise<void>((resolve) => {
    letBegin = resolve;
  });
  const { shown, opened, created } = scene(begins);
  const said = shown.orBegun();
  while (created() === 0) await new Promise((resolve) => setImmediate(resolve));
  const other = shown.open(id('other'));
  letBegin();
  await expect(said).rejects.toThrow('nothing was said');
  await opened(id('other'));
  await other;
  expect(shown.link?.sessionId).toBe(id('other'));
});
