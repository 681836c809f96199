/**
 * sessions that were stored by earlier builds open, read as they did, and go on. `ZERD_RECORD=0.2.0` writes the
 * session of a new release beside them; one that was written is never changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { exportMarkdown } from '@zerd/core/session/export';
import { foldSession } from '@zerd/core/session/fold';
import { type LoggedEvent, sessionEventSchema } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { createProvider } from '@zerd/providers/create-provider';
import type { Store } from '../../src/base/ports.ts';
import { openScene, type Scene } from './harness.ts';
import { chanceOf, mixedFiles, mixedPlayer } from './mixed-player.ts';

const folder = join(import.meta.dirname, '../store/fixtures');
const fixtures = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
let scene: Scene;
afterEach(() => scene.close());

const context = { window: 3, caps: { read: 1_500, shell: 1_000, failingShell: 1_500, search: 1_000 } };

if (process.env.ZERD_RECORD !== undefined)
  test('a session of this release is recorded', async () => {
    const chance = chanceOf(6);
    const player = mixedPlayer(() => scene.root, chance, new Set());
    const small = { contextWindow: 16_000, window: 20_000, config: { context } };
    scene = await openScene({ ...small, files: mixedFiles(chance), player });
    const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
    const change = { notes: { goal: 'Mend it.' }, todo: '[>] read\n[ ] mend' };
    await scene.runner.writeNotes(sessionId, change);
    for (let turn = 0; turn < 5; turn++) {
      const model = turn === 3 ? { model: 'sim/small' } : {};
      await scene.runner.startTurn({
        env: scene.env,
        sessionId,
        text: `Go on ${turn}`,
        trust: true,
        maxRequests: 7,
        ...model,
      });
      while (scene.runner.runningTurns() > 0) await new Promise(setImmediate);
    }
    const lines = scene.events(sessionId).map((logged) => `${JSON.stringify(logged)}\n`);
    writeFileSync(join(folder, `session-of-${process.env.ZERD_RECORD}.jsonl`), lines.join(''), { flag: 'wx' });
  }, 120_000);

function recorded(name: string): readonly LoggedEvent[] {
  const text = readFileSync(join(folder, name), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as LoggedEvent);
}

test.each(fixtures)('R-16: the events of %s are those of the protocol, and each is written out', async (name) => {
  scene = await openScene();
  const events = recorded(name);
  for (const { event } of events) expect(sessionEventSchema.safeParse(event)).toMatchObject({ success: true });
  const row = { sessionId: 'ses_old' as SessionId, title: 'Old' };
  const written = events.map((logged) => exportMarkdown(logged, { session: row, calls: new Map(), beside: new Set() }));
  expect(written.join('')).toContain('Go on 0');
});

test.each(fixtures)('R-16: %s is opened, each of its past prompts is what was sent, and it goes on', async (name) => {
  const sessionId = 'ses_old' as SessionId;
  let store: Store | undefined;
  const keep = (opened: Store) => {
    store = opened;
    return opened;
  };
  scene = await openScene({
    steps: [{ text: 'On it goes.' }],
    window: 200_000,
    contextWindow: 200_000,
    throughStore: keep,
  });
  const events = recorded(name);
  await store?.append(
    sessionId,
    events.map(({ event }) => event),
  );
  expect(foldSession(scene.events(sessionId)).lastSeq).toBe(events.length);
  const provider = createProvider({ wire: 'anthropic', apiKey: 'k' });
  for (const { event } of events) {
    if (event.kind !== 'request.started' || event.purpose !== undefined) continue;
    const { body } = scene.runner.contextBody(sessionId, event.requestId);
    expect([event.requestId, provider.segments(JSON.parse(body))]).toEqual([event.requestId, event.segments]);
  }
  const { end } = await scene.say('And now?', { sessionId, model: 'sim/sim' });
  await end;
  while (scene.runner.runningTurns() > 0) await new Promise(setImmediate);
  expect(scene.events(sessionId).at(-1)?.event).toMatchObject({ kind: 'turn.finished', outcome: 'done' });
});
