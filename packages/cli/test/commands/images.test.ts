import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ended } from '../events.ts';
import { fakeDaemon, sessionId, start, turnId } from '../fake-daemon.ts';
import { row } from './asked.ts';
import { daemonWith, work } from './run-scene.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-images-'));
  writeFileSync(join(folder, 'a.png'), 'ABC');
  writeFileSync(join(folder, 'b.png'), 'DEF');
  writeFileSync(join(folder, 'large.png'), Buffer.alloc(5_000_001));
});
afterEach(() => rmSync(folder, { recursive: true }));

const a = () => ({ name: 'a.png', data: 'QUJD' });
const b = () => ({ name: join(folder, 'b.png'), data: 'REVG' });

async function said(argv: readonly string[], daemon = daemonWith(...work, ended('done'))) {
  const { screen, code } = start(argv, daemon, { cwd: () => folder });
  const ended = await code;
  const sent = daemon.requests.filter(({ method }) => /^turn\/(start|steer|queue)$/.test(method));
  return { code: ended, err: screen.err, sent: sent.map(({ method, params }) => [method, params]) };
}

test('zerd run shows images, named as they were given, wherever they lie', async () => {
  expect(await said(['run', '--image', 'a.png', '--image', join(folder, 'b.png'), 'do it'])).toMatchObject({
    sent: [['turn/start', { text: 'do it', images: [a(), b()] }]],
  });
});

test('zerd say shows them to the running turn and in a turn of its own', async () => {
  const daemon = (more: object) => {
    const made = fakeDaemon();
    made.on('session/list', () => ({ sessions: [row] }));
    made.on('session/read', () => ({ session: row, events: [], ...more }));
    made.on('turn/steer', () => ({ promptId: 'prm_1', seq: 4 }));
    made.on('turn/queue', () => ({ promptId: 'prm_1', seq: 4 }));
    return made;
  };
  expect(await said(['say', '--image', 'a.png', 'like this'], daemon({ turnId }))).toMatchObject({
    code: 0,
    sent: [['turn/steer', { sessionId, expectedTurnId: turnId, text: 'like this', images: [a()] }]],
  });
  expect(await said(['say', '--image', 'a.png', 'like this'], daemon({}))).toMatchObject({
    code: 0,
    sent: [['turn/queue', { sessionId, text: 'like this', images: [a()] }]],
  });
});

test.each([
  ['missing.png', 'there is no such file'],
  ['.', 'it is no file'],
  ['large.png', 'it has 5000001 bytes, and 5000000 are the limit. Make a smaller one'],
])('an image that cannot be shown (%s) is refused before anything is sent', async (name, why) => {
  expect(await said(['run', '--image', name, 'do it'])).toMatchObject({
    code: 1,
    err: expect.stringContaining(`The image ${name} cannot be shown: ${why}. Nothing was sent.`),
    sent: [],
  });
});
