/** `/grants`: the commands that run here without being asked about. */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Desk } from './desk.ts';
import { messageOf } from './session-link.ts';

/** With a command: allows it for good. Enter on one of the list takes it back. */
export async function grants(desk: Desk, rest: string): Promise<void> {
  if (rest !== '') {
    await desk.feed.request('grant/add', { rule: rest });
    return desk.say('good', `Runs without asking from now on: ${sanitiseLine(rest)}`);
  }
  const { rules } = await desk.feed.request('grant/list', {});
  if (rules.length === 0)
    return desk.say('dim', 'Nothing runs without asking but what only looks. /grants npm test * allows a command.');
  const items = rules.map(({ rule, from }) => ({
    label: sanitiseLine(rule),
    detail: from === 'configuration' ? 'in your configuration file, changed there' : '',
    value: from === 'repository' ? rule : '',
  }));
  desk.choose('What runs without asking: Enter takes one back', items, (rule) => {
    if (rule === '') return desk.say('dim', 'It stands in your configuration file: change it there.');
    desk.feed.request('grant/remove', { rule }).then(
      () => desk.say('good', `Is asked about again: ${sanitiseLine(rule)}`),
      (error: unknown) => desk.say('bad', messageOf(error)),
    );
  });
}
