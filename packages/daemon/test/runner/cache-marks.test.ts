import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { renderPrompt } from '@zerd/core/context/render';
import { foldSession } from '@zerd/core/session/fold';
import { declareTools } from '@zerd/core/tools/declarations';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import { createProvider } from '@zerd/providers/create-provider';
import type { Step } from '@zerd/simulator/players/player';
import { loadTokenizer } from '@zerd/simulator/weigh/tokens';
import { createWeigher } from '@zerd/simulator/weigh/weigh';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene | undefined;
async function open(wish: SceneWish): Promise<Scene> {
  scene = await openScene(wish);
  return scene;
}
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

const words = (count: number, seed = '') => Array.from({ length: count }, (_, i) => `${seed}word${i}\n`).join('');
const readAll = (names: readonly string[]): Step => ({
  calls: names.map((path) => ({ name: 'read', input: { path } })),
});

/** Below that nothing is cached. */
const minimum = 1_024;

/** Every request read at least the whole prompt of the one before it. */
function expectEveryPromptIsReadAgain({ gateway }: Scene): void {
  const sent = gateway.requests.map(({ tokens, cache }) => ({ total: tokens.total, read: cache?.read ?? 0 }));
  const first = sent.findIndex(({ total }) => total >= minimum);
  expect(first).toBeLessThan(2);
  for (const [i, { read }] of sent.entries())
    if (i > first) expect([i, read >= (sent[i - 1]?.total ?? 0)]).toEqual([i, true]);
}

async function turns(of: Scene, sessionId: SessionId, count: number): Promise<void> {
  const ended = () => of.events(sessionId).filter(({ event }) => event.kind === 'turn.finished').length;
  while (ended() < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test.each([1, 7, 8, 20, 40])(
  'a turn that adds %d parallel calls at once still reads all that was sent before',
  async (count) => {
    const names = Array.from({ length: count }, (_, i) => `f${i}.txt`);
    const wish = {
      files: { 'big.txt': words(600), ...Object.fromEntries(names.map((name) => [name, words(20, name)])) },
      steps: [readAll(['big.txt']), readAll(names), readAll(['big.txt']), { text: 'Done.' }, { text: 'Yes.' }],
    };
    const now = await open(wish);
    const { sessionId, end } = await now.say('Go');
    await end;
    await now.say('More', { sessionId });
    await turns(now, sessionId, 2);
    expectEveryPromptIsReadAgain(now);
  },
);

test('P006: turns of text alone, a reminder at the end of each: the conversation is read again every time', async () => {
  const now = await open({
    files: { 'big.txt': words(900), 'a.txt': words(30) },
    steps: [readAll(['big.txt', 'a.txt']), ...Array.from({ length: 5 }, () => ({ text: 'Yes.' }))],
  });
  const { sessionId, end } = await now.say('Go');
  await end;
  for (const turn of [2, 3, 4]) {
    writeFileSync(join(now.root, 'a.txt'), words(30).replace('word3\n', `turn ${turn}\n`));
    await now.say('And?', { sessionId });
    await turns(now, sessionId, turn);
  }
  expect(now.gateway.requests.at(-1)?.bodyText.split('<system-reminder>\\n')).toHaveLength(4);
  expectEveryPromptIsReadAgain(now);
});

/** What a session's first request pays, one request after another over the same cache. */
async function firstRequests(...firsts: readonly (readonly [facts: string, text: string])[]) {
  const weigher = createWeigher(await loadTokenizer());
  const provider = createProvider({ wire: 'anthropic', apiKey: 'k' });
  return firsts.map(([facts, text]) => {
    const events: readonly SessionEvent[] = [
      {
        kind: 'session.created',
        root: '/repo',
        model: 'sim/sim',
        mode: 'ask',
        system: `You are zerd.\n${words(900, 'rule ')}`,
        tools: JSON.stringify(declareTools()),
        version: '0.1.0',
      },
      { kind: 'turn.started', turnId },
      { kind: 'message.submitted', turnId, text, facts },
    ];
    const state = foldSession(events.map((event, i) => ({ seq: i + 1, at: 1, event })));
    const body = provider.encode(renderPrompt(state, 'key'), { modelId: 'sim', maxOutput: 10 });
    const weighed = weigher.weigh('anthropic', body as never);
    return { fixed: weighed.tokens.system + weighed.tokens.tools, ...weigher.charge(weighed, 0) };
  });
}

test.each<[string, readonly [string, string], readonly [string, string]]>([
  ['P012: one word, quit, start again', ['Folder: /repo', 'hi'], ['Folder: /repo', 'hello']],
  ['P002: a file was added to the work tree', ['Git: 3 changed files', 'Go'], ['Git: 4 changed files', 'Go']],
  ['P004: another folder', ['Folder: /repo', 'Go'], ['Folder: /repo/packages', 'Go']],
  ['P010: other facts of the run', ['Date: 2026-11-29', 'Go'], ['Date: 2026-11-30', 'Go on']],
])('%s: tools, rules and system are read, as nothing volatile stands before their mark', async (_name, one, other) => {
  const [first, second] = await firstRequests(one, other);
  expect(first?.read).toBe(0);
  expect(second?.read).toBe(second?.fixed);
});

test('the part that a trim made final is marked from then on, so that the next trim still reads all of it', async () => {
  const weigher = createWeigher(await loadTokenizer());
  const provider = createProvider({ wire: 'anthropic', apiKey: 'k' });
  const events: SessionEvent[] = [
    {
      kind: 'session.created',
      root: '/',
      model: 'sim/sim',
      mode: 'ask',
      system: words(900),
      tools: '[]',
      version: '0',
    },
    { kind: 'message.submitted', turnId, text: 'Go' },
  ];
  const send = () => {
    const state = foldSession(events.map((event, i) => ({ seq: i + 1, at: i, event })));
    const body = provider.encode(renderPrompt(state, 'key'), { modelId: 'sim', maxOutput: 10 });
    const weighed = weigher.weigh('anthropic', body as never);
    return { total: weighed.tokens.total, ...weigher.charge(weighed, 0) };
  };
  /** Request `n` and its 25 calls: more blocks than a mark looks back. */
  const step = (n: number) => {
    const paid = send();
    const ids = Array.from({ length: 25 }, (_, i) => `c${n}_${i}` as CallId);
    events.push(answered(`req_${n}`, ids), ...ids.map((callId) => finishedWith(callId, words(60, callId))));
    return paid;
  };
  const trim = (from: number, to: number, entryAt: string) => {
    const calls = range(from, to).flatMap((n) => range(0, 24).map((i) => `c${n}_${i}` as CallId));
    events.push(trimmed(calls, `req_${to + 1}`, entryAt));
  };
  for (const n of range(1, 4)) step(n);
  trim(1, 2, 'req_1');
  const afterFirst = range(5, 9).map(step);
  trim(3, 6, 'req_3');
  const second = step(10);
  const third = step(11);
  // All that stood in front of request 3 when it was cut the first time.
  expect(afterFirst[0]?.read).toBeLessThan(second.read);
  expect(second.read).toBeGreaterThan(2_500);
  expect(afterFirst.slice(1).map(({ read }, i) => read >= (afterFirst[i]?.total ?? 0))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(third.read).toBe(second.total);
});

const turnId = 'turn_1' as TurnId;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function answered(requestId: string, ids: readonly CallId[]): SessionEvent {
  const content = ids.map((callId) => ({ kind: 'toolCall' as const, callId, name: 'read', inputJson: '{"path":"a"}' }));
  const usage = { uncached: 1, cacheRead: 1, cacheWrite: 1, output: 1, reported: true };
  return {
    kind: 'assistant.finished',
    requestId: requestId as RequestId,
    turnId,
    content,
    stopReason: 'toolUse',
    usage,
    costPico: null,
  };
}

function finishedWith(callId: CallId, shown: string): SessionEvent {
  const archiveId = '1a2b3c4d5e6f' as ArchiveId;
  return { kind: 'toolCall.finished', turnId, callId, outcome: 'ok', shown, archiveId, bytes: 1, durationMs: 1 };
}

function trimmed(calls: CallId[], keptFrom: string, entryAt: string): SessionEvent {
  const predicted = { cut: 1, read: 1, kept: 1, rewritten: 1, rent: 1, price: 1, costKept: 1, costTrimmed: 1 };
  const at = { keptFrom: keptFrom as RequestId, entryAt: entryAt as RequestId };
  return { kind: 'context.trimmed', turnId, reason: 'old', calls, inputs: [], note: 'Cleared.', ...at, predicted };
}
