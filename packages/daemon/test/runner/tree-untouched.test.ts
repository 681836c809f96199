import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { makeGitRepository } from '../../../../test/support/git-repository.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

/** Every name below a folder with its mode, time and content. */
function pictureOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const { mode, mtimeMs, size } = lstatSync(path);
      return [name, mode.toString(8), mtimeMs, size, contentOf(path)].join(' ');
    });
}

function contentOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return readlinkSync(path);
  return stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
}

const looking = [
  { calls: [{ name: 'read', input: { path: 'a.txt' } }] },
  {
    calls: [
      { name: 'search', input: { pattern: 'one' } },
      { name: 'find', input: { pattern: '*.txt' } },
      { name: 'shell', input: { command: 'cat a.txt; exit 3' } },
    ],
  },
  { calls: [{ name: 'edit', input: { path: 'a.txt', old: 'nothing like it', new: 'x' } }] },
  { text: 'Seen.' },
];

test('F-50: a turn that only looks leaves the tree as it was, to the last byte, mode and time', async () => {
  scene = await openScene({ steps: looking, files: { 'a.txt': 'one\n', 'b.txt': '' } });
  await makeGitRepository(scene.root);
  const before = pictureOf(scene.root);
  const { end } = await scene.say('Look around');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(pictureOf(scene.root)).toEqual(before);
});

test('F-48: a lock that git or the user left in the repository is told with its age, not waited for, not taken and not removed', async () => {
  scene = await openScene({ steps: looking, files: { 'a.txt': 'one\n' } });
  await makeGitRepository(scene.root);
  writeFileSync(join(scene.root, 'a.txt'), 'one\ntwo\n');
  const lock = join(scene.root, '.git', 'index.lock');
  writeFileSync(lock, '');
  const since = new Date(Date.now() - 3 * 86_400_000);
  utimesSync(lock, since, since);
  const before = pictureOf(scene.root);
  const { sessionId, end } = await scene.say('Look around');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(pictureOf(scene.root)).toEqual(before);
  const facts = scene
    .events(sessionId)
    .flatMap(({ event }) => (event.kind === 'message.submitted' ? [event.facts] : []));
  expect(facts[0]).toContain('branch');
  expect(facts[0]).toMatch(
    /^\.git\/index\.lock of this user is 72 h.* old: a git still runs, or died\. Do not remove it unasked\.$/m,
  );
});
