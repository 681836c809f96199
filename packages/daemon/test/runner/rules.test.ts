import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { filesOf, reader } from './compaction-scene.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
async function open(wish: SceneWish, files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  scene = await openScene(wish);
  for (const [path, text] of Object.entries(files)) put(path, text);
  return scene;
}
afterEach(() => scene.close());

function put(path: string, text: string): void {
  mkdirSync(dirname(join(scene.root, path)), { recursive: true });
  writeFileSync(join(scene.root, path), text);
}

const call = (name: string, input: object): Step => ({ calls: [{ name, input }] }) as never;
const reads = (...paths: readonly string[]): Step => ({
  calls: paths.map((path) => ({ name: 'read', input: { path } })),
});
const attached = (sessionId: SessionId) =>
  scene
    .events(sessionId)
    .flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [(event.rules ?? []).map(({ path }) => path)] : []));
const created = (sessionId: SessionId) => {
  const event = scene.events(sessionId)[0]?.event;
  return event?.kind === 'session.created' ? event : undefined;
};
const times = (text: string, part: string) => text.split(part).length - 1;
const lastBody = () => scene.gateway.requests.at(-1)?.bodyText ?? '';

const nested = {
  'apps/AGENTS.md': 'In apps: no default exports.',
  'apps/web/CLAUDE.md': 'In web: hooks only.',
  'apps/web/src/a.tsx': 'export const a = 1;\n',
  'apps/web/src/b.tsx': 'export const b = 2;\n',
};

test.each([
  ['a read', reads('apps/web/src/a.tsx')],
  ['a shell read', call('shell', { command: 'cat apps/web/src/a.tsx' })],
  ['an edit', call('edit', { path: 'apps/web/src/a.tsx', old: '1', new: '3' })],
  ['a new file', call('write', { path: 'apps/web/src/c.tsx', content: 'c\n' })],
])('%s brings the rules of each folder between the root and the file', async (_, step) => {
  const { say } = await open({ steps: [step, reads('apps/web/src/b.tsx'), { text: 'Done.' }] }, nested);
  const { sessionId, end } = await say('Go');
  await end;
  expect(attached(sessionId)).toEqual([['apps/AGENTS.md', 'apps/web/CLAUDE.md'], []]);
  expect([times(lastBody(), 'no default exports'), times(lastBody(), 'hooks only')]).toEqual([1, 1]);
});

test('of 200 nested folders with rules a read brings the nearest 16, the next one more, and no answer grows without end (I4)', async () => {
  const deep = Array(200).fill('d').join('/');
  const folders = Array.from({ length: 200 }, (_, n) => deep.slice(0, 2 * n + 1));
  const rules = Object.fromEntries(
    folders.map((folder, n) => [`${folder}/AGENTS.md`, `Rule ${n}. ${'x'.repeat(900)}`]),
  );
  const files = { ...rules, [`${deep}/a.txt`]: 'a\n', [`${deep}/b.txt`]: 'b\n' };
  const { say } = await open({ steps: [reads(`${deep}/a.txt`), reads(`${deep}/b.txt`), { text: 'Done.' }] }, files);
  const { sessionId, end } = await say('Go');
  await end;
  expect(attached(sessionId).map((paths) => [paths.length, paths.at(-1)?.length])).toEqual([
    [16, deep.length + 10],
    [16, deep.length + 10 - 32],
  ]);
  expect(Buffer.byteLength(lastBody())).toBeLessThan(80_000);
});

test('P098: three reads at once in a new folder bring its rules once', async () => {
  const steps = [reads('apps/web/src/a.tsx', 'apps/web/src/b.tsx', 'apps/web/CLAUDE.md'), { text: 'Done.' }];
  const { say } = await open({ steps }, nested);
  const { sessionId, end } = await say('Go');
  await end;
  expect(attached(sessionId).flat()).toEqual(['apps/AGENTS.md', 'apps/web/CLAUDE.md']);
});

test('a link to rules that are there already is not followed twice, and one out of the workspace not at all', async () => {
  const { say, root, folder } = await open(
    { steps: [reads('a/x.ts', 'b/x.ts', 'c/x.ts'), { text: 'Done.' }] },
    { 'AGENTS.md': 'Root rules.', 'a/x.ts': 'a', 'b/x.ts': 'b', 'c/x.ts': 'c', 'c/AGENTS.md': 'Rules of c.' },
  );
  writeFileSync(join(folder, 'outside.md'), 'SECRET');
  symlinkSync(join(root, 'AGENTS.md'), join(root, 'a', 'AGENTS.md'));
  symlinkSync(join(folder, 'outside.md'), join(root, 'b', 'AGENTS.md'));
  const { end } = await say('Go');
  await end;
  expect(['Root rules.', 'SECRET', 'Rules of c.'].map((text) => times(lastBody(), text))).toEqual([1, 0, 1]);
});

test('P102, P104: the root rules are frozen in the system text, and after a compaction they still stand there', async () => {
  const { say, runner, env, until } = await open(
    { player: reader(6), files: filesOf(6, 60) },
    { 'AGENTS.md': 'No co-author line.' },
  );
  const { sessionId, end } = await say('Go');
  await end;
  await runner.compact({ env, sessionId, trust: true });
  await until(sessionId, 'context.compacted');
  expect(created(sessionId)?.rules).toEqual([{ path: 'AGENTS.md', hash: expect.any(String), bytes: 18 }]);
  expect(scene.gateway.requests.map(({ bodyText }) => times(bodyText, 'No co-author line.'))).toEqual(
    scene.gateway.requests.map(() => 1),
  );
  expect(times(runner.contextBody(sessionId).body, 'No co-author line.')).toBe(1);
});

test('a root file of 6,000 lines is capped, with the way to the rest', async () => {
  const text = Array.from({ length: 6_000 }, (_, n) => `- rule ${n + 1}`).join('\n');
  const { say } = await open({ steps: [{ text: 'Done.' }] }, { 'AGENTS.md': text });
  const { sessionId, end } = await say('Go');
  await end;
  const system = created(sessionId)?.system ?? '';
  expect(Buffer.byteLength(system)).toBeLessThan(20_000);
  expect(system).toMatch(
    /\[4,575 of 6,000 lines are not shown: recall \{"id":"[0-9a-f]{12}","offset":1426\}\]\n<\/rules>$/,
  );
});

test('root rules that change, go or appear later are told by a reminder, once, and the frozen text stays', async () => {
  const { say, root } = await open(
    { steps: [{ text: '1' }, { text: '2' }, { text: '3' }, { text: '4' }] },
    { 'AGENTS.md': 'Use tabs.' },
  );
  const { sessionId, end } = await say('Go');
  await end;
  const told = async (text: string) => {
    const before = scene.events(sessionId).length;
    const ended = scene.events(sessionId).filter(({ event }) => event.kind === 'turn.finished').length;
    await say(text, { sessionId });
    while (scene.events(sessionId).filter(({ event }) => event.kind === 'turn.finished').length === ended)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const added = scene.events(sessionId).slice(before);
    return added.flatMap(({ event }) => (event.kind === 'reminder.added' ? [event.text] : []));
  };
  put('AGENTS.md', 'Use spaces.');
  expect(await told('More')).toEqual([
    'The rules of AGENTS.md changed; instead of what was given at the beginning this holds:\n<rules from="AGENTS.md">\nUse spaces.\n</rules>',
  ]);
  expect(await told('More')).toEqual([]);
  rmSync(join(root, 'AGENTS.md'));
  expect(await told('More')).toEqual(['AGENTS.md is gone: its rules no longer hold.']);
  const systems = scene.gateway.requests.map(({ bodyText }) => JSON.stringify(JSON.parse(bodyText).system));
  expect(systems.every((system) => system.includes('Use tabs.'))).toBe(true);
});

test('P096: rules outside the root are those that the user names, whoever the root belongs to', async () => {
  const { say, folder } = await open({ steps: [{ text: 'Done.' }], config: { rules: { files: ['../OUTER.md'] } } });
  writeFileSync(join(folder, 'OUTER.md'), 'Rules of the outer repository.');
  writeFileSync(join(folder, 'AGENTS.md'), 'Rules of the user.');
  const { sessionId, end } = await say('Go');
  await end;
  expect(created(sessionId)?.rules?.map(({ path }) => path)).toEqual([
    join(folder, 'AGENTS.md'),
    join(folder, 'OUTER.md'),
  ]);
});

test('what is trimmed takes its rules along, and the next touch of the folder brings them again', async () => {
  const big = (name: string) => `${name}\n`.repeat(3_000);
  const others = Array.from({ length: 8 }, (_, n) => `other/f${n}.txt`);
  const { say } = await open(
    {
      config: { context: { relief: 'every', window: 2 } },
      steps: [reads('lib/a.txt'), ...others.map((path) => reads(path)), reads('lib/b.txt'), { text: 'Done.' }],
    },
    {
      'lib/AGENTS.md': 'Rules of lib.',
      'lib/a.txt': big('a'),
      'lib/b.txt': big('b'),
      ...Object.fromEntries(others.map((path) => [path, big(path)])),
    },
  );
  const { sessionId, end } = await say('Go');
  await end;
  const kinds = scene.events(sessionId).map(({ event }: { event: SessionEvent }) => event.kind);
  expect(kinds).toContain('context.trimmed');
  expect(attached(sessionId).map((paths) => paths.length)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(times(lastBody(), 'Rules of lib.')).toBe(1);
});
