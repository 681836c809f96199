/** `/rewind`: takes back a message with what was done for it. Nothing is lost: the session stays beside the fork. */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { plainNumber } from '@zerd/protocol/common/plain-number';
import { rewoundLines } from '@zerd/protocol/common/rewound-text';
import { messagesIn, type SaidMessage } from '@zerd/protocol/common/said-messages';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { clip, columnsOf } from '../text/clusters.ts';
import { type Desk, sessionOf } from './desk.ts';
import type { Item } from './overlay.ts';
import { messageOf } from './session-link.ts';

type Preview = ResultOf<'session/rewind'>;

const page = 2_000;

export async function rewind(desk: Desk, rest: string): Promise<void> {
  const turns = plainNumber(rest);
  if (rest !== '' && !(Number.isSafeInteger(turns) && turns > 0))
    return desk.say('bad', `'${rest}' is no number of messages: /rewind 1 takes back the newest one.`);
  const said = await saidIn(desk);
  if (said.length === 0) return desk.say('dim', 'Nothing was said here that could be taken back.');
  if (rest !== '') {
    const chosen = said.at(-turns);
    if (chosen === undefined) return desk.say('bad', `Only ${said.length} can be taken back. Nothing was changed.`);
    return decide(desk, chosen);
  }
  desk.choose('Take back to before which message?', saidItems(said, desk.columns), (value) => {
    const chosen = said.find(({ seq }) => String(seq) === value);
    if (chosen !== undefined) decide(desk, chosen).catch((error: unknown) => desk.say('bad', messageOf(error)));
  });
}

async function saidIn(desk: Desk): Promise<readonly SaidMessage[]> {
  const sessionId = sessionOf(desk);
  const all: LoggedEvent[] = [];
  for (let last = 0; ; last = all.at(-1)?.seq ?? last) {
    const { events } = await desk.feed.request('session/read', { sessionId, after: last, limit: page });
    if (events.length === 0) return messagesIn(all);
    all.push(...events.filter(({ event }, i) => isOfTurn(event) || i === events.length - 1));
  }
}

function isOfTurn({ kind }: LoggedEvent['event']): boolean {
  return kind === 'turn.started' || kind === 'message.submitted';
}

/** The newest first, each with room for what goes with it. */
export function saidItems(said: readonly SaidMessage[], columns: number): readonly Item[] {
  return said.toReversed().map(({ seq, text }, n) => {
    const detail = n === 0 ? 'the newest' : `and ${n} after it`;
    const find = text.slice(0, mostFound).replace(/\s+/g, ' ').trim();
    return { label: shortened(find, columns - columnsOf(detail) - beside), detail, value: String(seq), find };
  });
}

/** Characters of a message by which it is found. */
const mostFound = 4_000;
/** Columns that a list puts around label and detail. */
const beside = 4;
const leastLabel = 10;

function shortened(text: string, room: number): string {
  const line = sanitiseLine(text);
  const most = Math.max(leastLabel, room);
  return columnsOf(line) <= most ? line : `${clip(line, most - 1).text}…`;
}

/** Says first what would become of which file. */
async function decide(desk: Desk, { seq, text }: SaidMessage): Promise<void> {
  const wish = { sessionId: sessionOf(desk), atSeq: seq };
  const preview = await desk.feed.request('session/rewind', { ...wish, preview: true });
  desk.choose('What is taken back?', waysOut(preview), (value) => {
    if (value === '') return;
    const done = value === 'talk' ? talkOnly(desk, wish) : withFiles(desk, { ...wish, force: value === 'force' });
    done.then(
      () => desk.write(text),
      (error: unknown) => desk.say('bad', messageOf(error)),
    );
  });
}

export function waysOut(preview: Preview): readonly Item[] {
  const { files } = preview;
  const count = (...outcomes: readonly string[]) => files.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const [back, changed] = [count('put back', 'removed'), count('changed')];
  const stay = count('changed', 'unknown', 'failed');
  const paths = files.filter(({ outcome }) => outcome === 'changed').map(({ path }) => path);
  return [
    ...(back === 0
      ? []
      : [
          { label: 'The conversation and files', detail: `${back} put back, ${stay} stay as they are`, value: 'files' },
        ]),
    { label: 'The conversation alone', detail: 'files stay as they are', value: 'talk' },
    ...(changed === 0
      ? []
      : [
          {
            label: 'Also files that something else changed too',
            detail: `${paths.join(', ')}: what is there now is archived`,
            value: 'force',
          },
        ]),
    { label: 'Nothing', detail: '', value: '' },
  ];
}

async function talkOnly(desk: Desk, wish: { readonly sessionId: SessionId; readonly atSeq: number }) {
  const { sessionId } = await desk.feed.request('session/fork', wish);
  await desk.open(sessionId);
}

async function withFiles(
  desk: Desk,
  wish: { readonly sessionId: SessionId; readonly atSeq: number; readonly force: boolean },
): Promise<void> {
  const rewound = await desk.feed.request('session/rewind', wish);
  await desk.open(rewound.sessionId);
  for (const line of rewoundLines(rewound)) desk.say('dim', line);
}
