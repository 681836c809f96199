/** A repository whose folder and state were moved: the model is told where it works now. */
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const only = <K extends SessionEvent['kind']>(id: SessionId, kind: K) =>
  scene.events(id).flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));

/** What the log keeps is what was said before the move. */
function inOldPlace(event: SessionEvent): SessionEvent {
  if (event.kind !== 'message.submitted' || event.facts === undefined) return event;
  return { ...event, facts: event.facts.replace(scene.root, '/old/place') };
}

test('the model is told once, before the next request', async () => {
  scene = await openScene({
    steps: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    throughStore: (store) => ({ ...store, append: (id, events) => store.append(id, events.map(inOldPlace)) }),
  });
  const { sessionId, end } = await scene.say('Go');
  await end;
  for (const times of [2, 3]) {
    await scene.say('And on', { sessionId });
    while (only(sessionId, 'turn.finished').length < times) await new Promise((resolve) => setImmediate(resolve));
  }
  const told = `The working folder was moved: it is ${scene.root} now. Paths that begin with /old/place are not there any more.`;
  const reminders = only(sessionId, 'reminder.added').filter(({ about }) => about.kind === 'folderMoved');
  expect(reminders).toMatchObject([{ text: told, about: { folder: scene.root } }]);
  // The first request found the old place in its own facts already.
  expect(
    scene.gateway.requests.map(({ bodyText }) => bodyText.split('The working folder was moved').length - 1),
  ).toEqual([1, 1, 1]);
});
