/** The commands that let the person choose: a model, a mode, whether to trust, whether to remove a session. */
import type { Mode } from '@zerd/protocol/common/mode';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { type Desk, sessionOf } from './desk.ts';
import { switchText } from './forecast.ts';
import { messageOf } from './session-link.ts';
import { thousands } from './status-line.ts';

const modes: Readonly<Record<Mode, string>> = {
  'read-only': 'reads and searches, changes nothing',
  ask: 'asks before every change and every command',
  edit: 'changes files by itself, asks before commands',
  full: 'changes files and runs commands by itself',
};

/** What Shift-Tab goes through; `full` is chosen by its name alone. */
const cycled: readonly Mode[] = ['ask', 'edit', 'read-only'];

export async function nextMode(desk: Pick<Desk, 'feed' | 'sessionId' | 'begin'>, mode: Mode): Promise<void> {
  const next = cycled[(cycled.indexOf(mode) + 1) % cycled.length] ?? 'ask';
  if (desk.sessionId === undefined) return desk.begin({ mode: next });
  await desk.feed.request('session/setMode', { sessionId: desk.sessionId, mode: next });
}

export async function selectModel(desk: Desk, rest: string): Promise<void> {
  const select = async (model: string) => {
    // Nobody else looks at it before the first message.
    if (!/.\/./.test(model)) throw new Error(`'${model}' is no model: name one as provider/model. /model lists them.`);
    if (desk.sessionId === undefined) return desk.begin({ model });
    const { model: chosen } = await desk.feed.request('model/select', { sessionId: desk.sessionId, model });
    const seen = await desk.feed.request('cost/forecast', { sessionId: desk.sessionId, model: chosen });
    if (seen.rewritten > 0) desk.say('dim', switchText(chosen, seen));
  };
  if (rest !== '') return select(rest);
  const { models } = await desk.feed.request('model/list', {});
  const items = models
    .toSorted((a, b) => Number(b.ready) - Number(a.ready))
    .map(({ id, ready, priced, contextWindow }) => ({
      label: id,
      detail: [
        ready ? '' : 'needs a key',
        priced ? '' : 'unpriced',
        contextWindow === null ? '' : `${thousands(contextWindow)} tokens`,
      ]
        .filter((part) => part !== '')
        .join(', '),
      value: id,
    }));
  desk.choose(
    'Model',
    items,
    (model) => void select(model).catch((error: unknown) => desk.say('bad', messageOf(error))),
  );
}

export async function selectMode(desk: Desk, rest: string): Promise<void> {
  const select = async (mode: string) => {
    if (!Object.hasOwn(modes, mode)) throw new Error(`There is no mode ${mode}: ${Object.keys(modes).join(', ')}.`);
    if (desk.sessionId === undefined) return desk.begin({ mode: mode as Mode });
    await desk.feed.request('session/setMode', { sessionId: desk.sessionId, mode: mode as Mode });
  };
  if (rest !== '') return select(rest);
  const items = Object.entries(modes).map(([value, detail]) => ({ label: value, detail, value }));
  desk.choose('Mode', items, (mode) => void select(mode).catch((error: unknown) => desk.say('bad', messageOf(error))));
}

export async function trust(desk: Desk): Promise<void> {
  const { root, trusted } = await desk.feed.request('trust/read', {});
  if (trusted) return desk.say('dim', `${root} is trusted. \`zerd trust --revoke\` takes it back.`);
  const items = [
    { label: 'Not now', detail: '', value: '' },
    { label: 'Trust it', detail: 'from now on; `zerd trust --revoke` takes it back', value: 'trust' },
  ];
  desk.choose(`Trust ${sanitiseLine(root)}: read its files, run its commands?`, items, (value) => {
    if (value !== 'trust') return;
    desk.feed.request('trust/set', { trusted: true }).then(
      () => desk.say('good', `Trusted: ${root}`),
      (error: unknown) => desk.say('bad', messageOf(error)),
    );
  });
}

export function deleteSession(desk: Desk): void {
  const sessionId = sessionOf(desk);
  const items = [
    { label: 'Keep it', detail: '', value: '' },
    { label: 'Remove it for good', detail: 'with its sub-agents; what it cost stays counted', value: 'delete' },
  ];
  desk.choose('Remove this session?', items, (value) => {
    if (value !== 'delete') return;
    desk.feed.request('session/delete', { sessionId }).then(
      () => desk.open(undefined),
      (error: unknown) => desk.say('bad', messageOf(error)),
    );
  });
}
