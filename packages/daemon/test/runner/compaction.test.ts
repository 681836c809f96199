import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { warmInstruction } from '@zerd/core/context/compact/instruction';
import { renderPrompt } from '@zerd/core/context/render';
import { foldSession } from '@zerd/core/session/fold';
import type { Step } from '@zerd/simulator/players/player';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import {
  closeScene,
  compact,
  drive,
  filesOf,
  kinds,
  only,
  prose,
  readAll,
  reader,
  sayOn,
  scene,
  small,
  textOf,
} from './compaction-scene.ts';
import type { SceneWish } from './harness.ts';

afterEach(closeScene);

test.each(['anthropic', 'chat'] as const)(
  'over %s a compaction asks behind the exact prompt, reads it from the cache, and the next prompt begins with the summary',
  async (wire) => {
    const sessionId = await readAll(10, { wire });
    const { gateway, events } = scene;
    const before = gateway.requests.length;
    expect(await compact(sessionId)).toMatchObject({ outcome: 'done' });
    expect(kinds(events(sessionId)).slice(-5)).toEqual([
      'turn.started',
      'request.started',
      'assistant.finished',
      'context.compacted',
      'turn.finished',
    ]);
    const [last, asked] = gateway.requests.slice(before - 1);
    expect(gateway.requests).toHaveLength(before + 1);
    expect(asked?.refusal).toBe(null);
    expect(textOf(asked)).toBe(warmInstruction);
    for (const field of ['tools', 'system', 'max_tokens', 'tool_choice', 'model'])
      expect(asked?.body[field]).toEqual(last?.body[field]);
    expect((asked?.cache?.read ?? 0) / (asked?.tokens.total ?? 1)).toBeGreaterThan(0.85);
    const [compacted] = only(events(sessionId), 'context.compacted');
    expect(compacted?.summary).toContain('Never touch f9.txt.');
    expect(compacted?.summary).toContain(prose);
    await sayOn(sessionId, 'Go on');
    const next = gateway.requests.at(-1)?.conversation.messages[0]?.parts[0];
    expect(next).toEqual({ kind: 'text', text: compacted?.summary });
    expect(gateway.requests.map(({ refusal }) => refusal)).toEqual(gateway.requests.map(() => null));
  },
);

test('the last six requests stay word for word, with their reasoning, and what went is archived and in the transcript', async () => {
  const sessionId = await readAll(10);
  await compact(sessionId);
  const { events, folder } = scene;
  const state = foldSession(events(sessionId));
  expect(state.requests).toHaveLength(6);
  const { messages, marks } = renderPrompt(state, 'key');
  const all = messages.flatMap(({ blocks }): readonly { kind: string }[] => blocks);
  expect(all.filter(({ kind }) => kind === 'opaque')).toHaveLength(5);
  expect(all.filter(({ kind }) => kind === 'toolResult')).toHaveLength(5);
  expect(marks[0]).toEqual({ message: 0, block: 0 });
  const [compacted] = only(events(sessionId), 'context.compacted');
  const lines = readFileSync(join(folder, 'state', 'transcripts', `${sessionId}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual(
    Array.from({ length: compacted?.throughSeq ?? 0 }, (_, i) => i + 1),
  );
  expect(compacted?.archiveId).toMatch(/^[0-9a-f]{12,64}$/);
  expect(compacted?.usage.cacheRead).toBeGreaterThan(0);
});

test.each<[string, SceneWish]>([
  ['behind the prompt', {}],
  ['in parts', { config: small, player: reader(10), files: filesOf(10, 400) }],
])('what was sent for a summary %s can be read again, byte for byte (I2)', async (_how, wish) => {
  const sessionId = await readAll(10, wish);
  await compact(sessionId);
  const started = only(scene.events(sessionId), 'request.started');
  const again = started.map(({ requestId }) => scene.runner.contextBody(sessionId, requestId).body);
  expect(again).toEqual(scene.gateway.requests.map(({ bodyText }) => bodyText));
  const { outline } = scene.runner.contextBody(sessionId);
  expect(outline.messages[0]?.blocks[0]).toMatchObject({ kind: 'summary', marked: true });
});

test('a summary request is counted with its cost, beside the turn, and its words are no answer', async () => {
  const sessionId = await readAll(8);
  const before = scene.events(sessionId).length;
  await compact(sessionId);
  const added = scene.events(sessionId).slice(before);
  const [started] = only(added, 'request.started');
  const [finished] = only(added, 'assistant.finished');
  expect(started?.purpose).toBe('compaction');
  expect(finished?.costPico).toBeGreaterThan(0);
  expect(
    foldSession(scene.events(sessionId)).items.some(
      (item) => item.kind === 'answer' && item.requestId === started?.requestId,
    ),
  ).toBe(false);
});

test.each<[string, Step]>([
  ['P112: is empty', { text: '' }],
  ['calls a tool', { text: prose, calls: [{ name: 'read', input: { path: 'f1.txt' } }] }],
  ['is a refusal', { text: 'No, I would rather not.', stop: 'refusal' }],
])('a summary that %s is refused, no call of it runs, and a trimmed copy is summed up instead', async (_name, step) => {
  const player = reader(10, (n) => (n === 1 ? step : { text: prose }));
  const sessionId = await readAll(10, { player });
  const before = scene.gateway.requests.length;
  expect(await compact(sessionId)).toMatchObject({ outcome: 'done' });
  const [, fresh] = scene.gateway.requests.slice(before);
  expect(fresh?.body.tools).toBe(undefined);
  expect(fresh?.conversation.messages).toHaveLength(1);
  expect(fresh?.refusal).toBe(null);
  expect(only(scene.events(sessionId), 'toolCall.finished')).toHaveLength(10);
  expect(only(scene.events(sessionId), 'context.compacted')).toHaveLength(1);
});

test('however long the words of a summary are, what follows is shorter than what it took the place of', async () => {
  const player = reader(10, { text: `${'words that say nothing. '.repeat(9)}\n`.repeat(200) });
  const sessionId = await readAll(10, { player, files: filesOf(10, 20) });
  const before = scene.gateway.requests.at(-1)?.tokens.total ?? 0;
  expect(await compact(sessionId)).toMatchObject({ outcome: 'done' });
  await sayOn(sessionId, 'Go on');
  expect(scene.gateway.requests.at(-1)?.tokens.total).toBeLessThan(before);
});

test('P108: after two attempts that got nowhere it stops with a reason, and the old context stands', async () => {
  const sessionId = await readAll(10, { player: reader(10, { text: '' }) });
  const { gateway, events } = scene;
  const [requests, before] = [gateway.requests.length, renderPrompt(foldSession(events(sessionId)), 'key')];
  expect(await compact(sessionId)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'provider_malformed', message: expect.stringContaining('two attempts') },
  });
  expect(gateway.requests).toHaveLength(requests + 2);
  expect(renderPrompt(foldSession(events(sessionId)), 'key')).toEqual(before);
});

test('P110: a conversation that no single prompt takes is summed up in parts', async () => {
  const player = reader(30);
  const sessionId = await readAll(30, { player, files: filesOf(30, 400), config: small });
  expect(await compact(sessionId)).toMatchObject({ outcome: 'done' });
  const covers = only(scene.events(sessionId), 'request.started').flatMap((event) => event.covers ?? []);
  expect(covers.length).toBeGreaterThan(1);
  covers.reduce((before, now) => {
    expect(now.after).toBe(before.through);
    return now;
  });
  expect(scene.gateway.requests.at(-1)?.conversation.messages[0]?.parts[0]).toEqual({
    kind: 'text',
    text: expect.stringContaining(prose),
  });
});

test('context.summarizer names the model that is asked, and its price counts', async () => {
  const sessionId = await readAll(10, { config: small });
  expect(await compact(sessionId)).toMatchObject({ outcome: 'done' });
  const asked = only(scene.events(sessionId), 'request.started').filter(({ purpose }) => purpose === 'compaction');
  expect(asked.map(({ model }) => model)).toEqual(['sim/small']);
  expect(scene.gateway.requests.at(-1)?.conversation.model).toBe('small');
});

test('P114: what was finished when the time was up is kept, and the next attempt goes on from there', async () => {
  const clock = manualClock();
  const config = { ...small, deadlines: { compactionMs: 30_000 } };
  let slow = true;
  const player = reader(30, (n) =>
    n === 2 && slow ? { fault: { kind: 'no-answer' } } : { text: `${prose} Part ${n}.` },
  );
  const sessionId = await drive(clock, () => readAll(30, { player, files: filesOf(30, 400), config, clock }));
  const first = await drive(clock, () => compact(sessionId));
  expect(first).toMatchObject({ outcome: 'failed', failure: { code: 'provider_timeout' } });
  slow = false;
  const tried = only(scene.events(sessionId), 'request.started').flatMap((event) => event.covers ?? []);
  expect(await drive(clock, () => compact(sessionId))).toMatchObject({ outcome: 'done' });
  const again = only(scene.events(sessionId), 'request.started').flatMap((event) => event.covers ?? []);
  expect(again[tried.length]?.after).toBe(tried[0]?.through);
});

test('an interrupt ends a compaction at once, and the old context stands', async () => {
  const player = reader(10, { fault: { kind: 'no-answer' }, faultTimes: 9 });
  const sessionId = await readAll(10, { player });
  const { runner, env, events, gateway } = scene;
  const { turnId } = await runner.compact({ sessionId, env, trust: true });
  await gateway.received(gateway.requests.length + 1);
  expect(runner.waits().map((wait) => wait.for)).toContain('a summary of the conversation');
  await expect(runner.startTurn({ env, sessionId, text: 'More', trust: true })).rejects.toMatchObject({
    code: 'turn_running',
  });
  expect(await runner.interrupt(sessionId, turnId)).toBe(true);
  expect(events(sessionId).at(-1)?.event).toMatchObject({ kind: 'turn.finished', outcome: 'interrupted' });
  expect(only(events(sessionId), 'context.compacted')).toEqual([]);
  expect(runner.waits()).toEqual([]);
});

test('a crash between the summary and the switch leaves the old context, and the session goes on', async () => {
  const player = reader(10, { fault: { kind: 'no-answer' }, faultTimes: 9 });
  const sessionId = await readAll(10, { player });
  const before = renderPrompt(foldSession(scene.events(sessionId)), 'key');
  const { runner, env } = scene;
  await runner.compact({ sessionId, env, trust: true });
  await scene.gateway.received(scene.gateway.requests.length + 1);
  await scene.restart(undefined, { client: false });
  expect(await scene.until(sessionId, 'question.asked')).toMatchObject({ about: 'key' });
  expect(renderPrompt(foldSession(scene.events(sessionId)), 'key')).toEqual(before);
  await scene.runner.interrupt(sessionId);
  expect(scene.events(sessionId).at(-1)?.event).toMatchObject({ kind: 'turn.finished', outcome: 'interrupted' });
  await sayOn(sessionId, 'And now?');
  expect(textOf(scene.gateway.requests.at(-1))).toBe('And now?');
});

test('after a cold cache a trimmed copy is summed up, not the whole prompt', async () => {
  const clock = manualClock();
  const sessionId = await drive(clock, () => readAll(10, { clock, files: filesOf(10, 200) }));
  clock.advance(600_000);
  const before = scene.gateway.requests.at(-1);
  expect(await drive(clock, () => compact(sessionId))).toMatchObject({ outcome: 'done' });
  const asked = scene.gateway.requests.at(-1);
  expect(asked?.body.tools).toBe(undefined);
  expect(asked?.tokens.total).toBeLessThan((before?.tokens.total ?? 0) / 2);
});

test('with nothing to replace, or less than a summary takes, nothing is asked and nothing is logged', async () => {
  const sessionId = await readAll(0);
  const { runner, env, events, gateway } = scene;
  const [before, requests] = [events(sessionId).length, gateway.requests.length];
  const refused = { code: 'invalid_params', message: expect.stringContaining('nothing was changed') };
  await expect(runner.compact({ sessionId, env, trust: true })).rejects.toMatchObject(refused);
  const { sessionId: empty } = await runner.createSession({ env, trust: true });
  await expect(runner.compact({ sessionId: empty, env, trust: true })).rejects.toMatchObject(refused);
  expect([events(sessionId).length, events(empty).length, gateway.requests.length]).toEqual([before, 1, requests]);
});

test('what a summary stands for survives a restart, and mode and system text are as before (P102, P104)', async () => {
  const sessionId = await readAll(10);
  const before = foldSession(scene.events(sessionId));
  await compact(sessionId);
  await scene.restart();
  const after = foldSession(scene.events(sessionId));
  expect([after.mode, after.model, after.created, after.seen]).toEqual([
    before.mode,
    before.model,
    before.created,
    before.seen,
  ]);
  await sayOn(sessionId, 'And now?');
  const last = scene.gateway.requests.at(-1);
  expect(last?.body.system).toEqual(scene.gateway.requests[0]?.body.system);
  expect(textOf(last)).toBe('And now?');
  expect(last?.conversation.messages[0]?.parts[0]).toMatchObject({
    text: expect.stringContaining('Never touch f9.txt.'),
  });
});

test('a provider that is short of room is waited for, and not asked twice at once', async () => {
  const clock = manualClock();
  const player = reader(10, (n) => (n === 1 ? { fault: { kind: 'rate-limit', retryAfter: '20' } } : { text: prose }));
  const sessionId = await drive(clock, () => readAll(10, { player, clock }));
  const before = scene.gateway.requests.length;
  expect(await drive(clock, () => compact(sessionId))).toMatchObject({ outcome: 'done' });
  const [first, second] = only(scene.events(sessionId), 'request.started').slice(before);
  const at = (id: unknown) =>
    scene.events(sessionId).find(({ event }) => 'requestId' in event && event.requestId === id)?.at;
  expect((at(second?.requestId) ?? 0) - (at(first?.requestId) ?? 0)).toBeGreaterThanOrEqual(20_000);
});
