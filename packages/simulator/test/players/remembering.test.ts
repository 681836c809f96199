/** A model that needs facts later, against the gateway, with an agent that forgets in one way or another. */
import { afterEach, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../src/gateway/start.ts';
import { archiveIds } from '../../src/players/archive-ids.ts';
import { exitOf, type Fact, shownAs, type Way } from '../../src/players/fact.ts';
import type { StepCall } from '../../src/players/player.ts';
import { rememberingPlayer, type Task } from '../../src/players/remembering.ts';
import type { RequestView, ViewPart } from '../../src/view/request-view.ts';

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const read: StepCall = { name: 'read', input: { path: 'a.ts' } };
const recall: Way = { kind: 'recall', source: read, part: { pattern: 'LIMIT' } };
const again: Way = { kind: 'call', call: { name: 'search', input: { pattern: 'LIMIT' } } };
const limit = (...ways: readonly Way[]): Fact => ({
  id: 'limit',
  value: 'kelp7',
  seenIn: shownAs(/LIMIT = '(\w+)'/),
  ways,
});
const said: Fact = { id: 'said', value: '4711', seenIn: shownAs(/port is (\d+)/), ways: [] };

const step = (call: StepCall): Task => ({ kind: 'step', step: { calls: [call] } });
const use = (fact: Fact): Task => ({
  kind: 'use',
  fact,
  step: (value) => ({ calls: [{ name: 'write', input: { path: fact.id, content: value } }] }),
});

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

type Forgetting = (message: Message, isOld: boolean) => Message | undefined;

const id = '1a2b3c4d5e6f';
const source = "a\nexport const LIMIT = 'kelp7';\nb\n";
const answers: Readonly<Record<string, string>> = {
  read: source,
  recall: "2: export const LIMIT = 'kelp7';",
  search: "a.ts\n2: export const LIMIT = 'kelp7';",
};

/** Sends what `forgetting` leaves of the conversation; what is older than the last two messages is old. Gives what was written. */
async function play(tasks: readonly Task[], forgetting: Forgetting, tools = answers) {
  const remembering = rememberingPlayer(tasks);
  const open = await startGateway({ player: remembering.player });
  gateway = open;
  const messages: Message[] = [{ role: 'user', content: 'The port is 4711.' }];
  const calls: string[] = [];
  for (;;) {
    const kept = messages.flatMap((message, i) => forgetting(message, i < messages.length - 2) ?? []);
    const answer = await ask(open, kept);
    if (answer.tool_calls === undefined) break;
    messages.push(answer);
    for (const { id, function: fn } of answer.tool_calls) {
      calls.push(`${fn.name} ${fn.arguments}`);
      messages.push({ role: 'tool', tool_call_id: id, content: tools[fn.name] ?? 'ok' });
    }
  }
  return {
    calls: calls.filter((call) => !call.startsWith('read')),
    extra: remembering.extraCalls(),
    lost: remembering.lost(),
  };
}

async function ask({ origin }: Gateway, messages: readonly Message[]): Promise<Message> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'sim', messages }),
  });
  const body = (await response.json()) as { readonly choices?: readonly { readonly message: Message }[] };
  const message = body.choices?.[0]?.message;
  if (message === undefined) throw new Error(`refused: ${JSON.stringify(body)}`);
  return message;
}

const everything: Forgetting = (message) => message;
const stubs =
  (text: string): Forgetting =>
  (message, isOld) =>
    isOld && message.role === 'tool' ? { ...message, content: text } : message;
const stub = stubs(`a\n[33 bytes cleared: recall {"id":"${id}"}]\nb`);

const wait = step({ name: 'find', input: { pattern: '*' } });
const written = 'write {"path":"limit","content":"kelp7"}';

test('what the request still shows is used without a call', async () => {
  expect(await play([step(read), use(limit(recall)), use(said)], everything)).toEqual({
    calls: [written, 'write {"path":"said","content":"4711"}'],
    extra: 0,
    lost: [],
  });
});

test('what a stub stands for is recalled by its id, then used', async () => {
  expect(await play([step(read), wait, use(limit(recall, again))], stub)).toEqual({
    calls: ['find {"pattern":"*"}', `recall {"id":"${id}","pattern":"LIMIT"}`, written],
    extra: 1,
    lost: [],
  });
});

test('where no id is named, or the archive has nothing, the next way is tried', async () => {
  const search = 'search {"pattern":"LIMIT"}';
  const bare = await play([step(read), wait, use(limit(recall, again))], stubs('[cleared]'));
  expect(bare).toMatchObject({ calls: ['find {"pattern":"*"}', search, written], extra: 1, lost: [] });
  await gateway?.close();
  const empty = await play([step(read), wait, use(limit(recall, again))], stub, {
    ...answers,
    recall: 'no line matches',
  });
  expect(empty).toMatchObject({ extra: 2, lost: [] });
});

test('lost is what no way brings back, what needs no tool and is gone, and what turns out to be another value', async () => {
  const gone = await play([step(read), wait, use(limit(recall))], stubs('[cleared]'));
  expect(gone).toMatchObject({ extra: 0, lost: [{ id: 'limit', why: 'nothing is left to ask for it' }] });
  await gateway?.close();
  const mute = await play([step(read), wait, use(limit(recall, again))], stub, { read: source });
  expect(mute.lost).toEqual([
    { id: 'limit', why: `not brought back by recall {"id":"${id}","pattern":"LIMIT"}; search {"pattern":"LIMIT"}` },
  ]);
  await gateway?.close();
  const ways = Array.from(
    { length: 9 },
    (_, i): Way => ({ kind: 'call', call: { name: 'search', input: { pattern: `${i}` } } }),
  );
  expect(await play([use(limit(...ways))], everything, {})).toMatchObject({ extra: 6, lost: [{ id: 'limit' }] });
  await gateway?.close();
  const unsaid: Forgetting = (message) => (message.role === 'user' ? { ...message, content: 'Go on.' } : message);
  expect((await play([wait, use(said)], unsaid)).lost).toEqual([{ id: 'said', why: 'nothing is left to ask for it' }]);
  await gateway?.close();
  const wrong = await play([step(read), use(limit(recall))], everything, { read: "LIMIT = 'moss8'" });
  expect(wrong).toMatchObject({ calls: [], lost: [{ id: 'limit', why: 'it is kelp7 and shown as moss8' }] });
});

test('a request that is sent again gets the same step again, and a call for a fact is counted once', () => {
  const { player, extraCalls } = rememberingPlayer([use(limit(again))]);
  const [empty, shown] = [viewOf(), viewOf({ kind: 'text', text: source })];
  const at = (delivered: number) => ({ delivered, deliveredHere: 0, notes: new Map() });
  const steps = [
    player(empty, at(0)),
    player(empty, at(0)),
    player(shown, at(1)),
    player(shown, at(1)),
    player(shown, at(2)),
  ];
  expect(steps.map(({ calls, text }) => calls?.[0]?.name ?? text)).toEqual([
    'search',
    'search',
    'write',
    'write',
    'done',
  ]);
  expect(extraCalls()).toBe(1);
});

test('ids: those of the same call, newest first, then lines about it, then what names a replaced conversation', () => {
  const ids = ['0', '1', '2', '3', '4'].map((digit) => digit.repeat(12));
  const view = viewOf(
    { kind: 'text', text: `[Summary. All that was replaced: recall {"id":"${ids[0]}"} with "pattern".]` },
    ...callAnd('1', read, `[9 bytes cleared: recall {"id":"${ids[1]}"}]`),
    ...callAnd(
      '2',
      { name: 'read', input: { path: 'b.ts' } },
      `[b.ts unchanged since call 9; archive ${'9'.repeat(12)}]`,
    ),
    ...callAnd('3', read, `[same as call 1, above; archive ${ids[2]}${'f'.repeat(52)}]`),
    { kind: 'text', text: `- read a.ts: 3 lines, ${ids[3]}\n- read b.ts: 3 lines, ${'8'.repeat(12)}` },
  );
  expect(archiveIds(view, read)).toEqual([ids[2], ids[1], ids[3], ids[0]]);
});

test('an exit status is read from the newest result of the command, else from a line that names both', () => {
  const run: StepCall = { name: 'shell', input: { command: 'sh a.sh' } };
  const seen = exitOf('sh a.sh');
  const told: ViewPart = { kind: 'text', text: 'exit 0: sh a.sh -v\nexit 3: sh a.sh\nexit 9: sh b.sh' };
  expect([
    seen(viewOf(told, ...callAnd('1', run, 'exit 4\nno'), ...callAnd('2', run, '[same as call 1]'))),
    seen(viewOf(told)),
    seen(viewOf(...callAnd('1', run, 'all is well: exit 5'))),
  ]).toEqual(['4', '3', undefined]);
});

function callAnd(callId: string, { name, input }: StepCall, text: string): readonly ViewPart[] {
  return [
    { kind: 'call', id: callId, name, input },
    { kind: 'result', callId, text, isError: false },
  ];
}

function viewOf(...parts: readonly ViewPart[]): RequestView {
  return { wire: 'chat', model: 'sim', system: '', tools: [], messages: [{ role: 'user', parts }], stream: false };
}
