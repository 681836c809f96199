/** Where one goes on: another session, a prompt that waits, one that comes back to be changed. */
import type { PromptId } from '@zerd/protocol/common/ids';
import type { Desk } from './desk.ts';
import { queueItems, sessionItems } from './lists.ts';
import type { Item } from './overlay.ts';
import { messageOf } from './session-link.ts';
import type { Queued } from './status.ts';

export async function chooseSession(desk: Desk): Promise<void> {
  let rows = (await desk.feed.request('session/list', {})).sessions;
  const items = (): readonly Item[] => [
    { label: '+ New session', detail: '', value: '' },
    ...sessionItems(rows, desk.sessionId, desk.now()),
  ];
  const pick = (value: string) => void desk.open(rows.find(({ sessionId }) => sessionId === value)?.sessionId);
  desk.choose('Sessions', items(), pick, async () => {
    rows = (await desk.feed.request('session/list', {})).sessions;
    return items();
  });
}

/** The newest that is meant: by the beginning of its id, or by words of its title. */
export async function resume(desk: Desk, rest: string): Promise<void> {
  if (rest === '') return chooseSession(desk);
  const { sessions } = await desk.feed.request('session/list', {});
  const found =
    sessions.find(({ sessionId }) => sessionId.startsWith(rest)) ??
    sessions.find(({ title }) => title.toLowerCase().includes(rest.toLowerCase()));
  if (found === undefined) throw new Error(`No session is called '${rest}': /sessions lists them.`);
  await desk.open(found.sessionId);
}

export function showQueue(desk: Desk): void {
  const { queue, queuePaused, sessionId } = desk;
  if (queue.length === 0 || sessionId === undefined) {
    desk.say('dim', 'No prompts wait.');
    return;
  }
  const goOn = { label: 'Go on with the next', detail: 'it does not begin by itself', value: '' };
  desk.choose(
    'Prompts that wait: Enter takes one back',
    [...(queuePaused ? [goOn] : []), ...queueItems(queue)],
    (value) => {
      const prompt = queue.find(({ promptId }) => promptId === value);
      const done =
        prompt === undefined ? desk.feed.request('turn/queue', { sessionId, run: true }) : takeBack(desk, prompt);
      done.catch((error: unknown) => desk.say('bad', messageOf(error)));
    },
  );
}

/** A prompt that waits comes back into the input, to be changed or thrown away. */
export async function takeBack(
  desk: Pick<Desk, 'feed' | 'sessionId' | 'write'>,
  { promptId, text }: Queued,
): Promise<void> {
  if (desk.sessionId === undefined) return;
  await desk.feed.request('turn/queue', { sessionId: desk.sessionId, promptId: promptId as PromptId, text: null });
  desk.write(text);
}
