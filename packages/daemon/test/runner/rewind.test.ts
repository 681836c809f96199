import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { type CallId, type SessionId, sessionIdSchema, type TurnId } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import type { Store } from '../../src/base/ports.ts';
import { rewindSession } from '../../src/runner/rewind/rewind-session.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';
import { crewPlayer, gives, whenTrue } from './subagent/crew.ts';

let scene: Scene;
afterEach(() => scene.close());

const call = (name: string, input: object) => ({ calls: [{ name, input }] });
const text = (path: string) => readFileSync(join(scene.root, path), 'utf8');
const kinds = (sessionId: SessionId) => scene.events(sessionId).map(({ event }) => event.kind);

/** A turn that reads, and one that edits a.txt twice, replaces b.txt and creates c/d.txt. */
async function work(more: SceneWish = {}): Promise<SessionId> {
  scene = await openScene({
    ...more,
    files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' },
    steps: [
      { text: 'Hello.' },
      call('edit', { path: 'a.txt', old: 'one', new: 'ONE' }),
      call('edit', { path: 'a.txt', old: 'two', new: 'TWO' }),
      call('read', { path: 'b.txt' }),
      call('write', { path: 'b.txt', content: 'B\n' }),
      call('write', { path: 'c/d.txt', content: 'd\n' }),
      call('shell', { command: 'echo x > made' }),
      { text: 'Done.' },
    ],
  });
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  for (const said of ['Hello', 'Change them.']) {
    await scene.say(said, { sessionId });
    await whenTrue(() => scene.runner.runningTurns() === 0);
  }
  expect([text('a.txt'), text('b.txt'), text('c/d.txt')]).toEqual(['ONE\nTWO\n', 'B\n', 'd\n']);
  return sessionId;
}

const outcomes = (files: readonly { readonly path: string; readonly outcome: string }[]) =>
  files.map(({ path, outcome }) => `${path}: ${outcome}`);

test('going back before the newest message puts files back, removes what was created, and forks there', async () => {
  const sessionId = await work();
  const before = kinds(sessionId);
  const preview = await scene.runner.rewind({ sessionId, preview: true });
  const expected = ['a.txt: put back', 'b.txt: put back', 'c/d.txt: removed'];
  expect([outcomes(preview.files), preview.sessionId, text('a.txt')]).toEqual([expected, undefined, 'ONE\nTWO\n']);
  const rewound = await scene.runner.rewind({ sessionId });
  expect(outcomes(rewound.files)).toEqual(expected);
  expect(rewound).toMatchObject({ text: 'Change them.', commands: 1 });
  expect([text('a.txt'), text('b.txt'), existsSync(join(scene.root, 'c/d.txt'))]).toEqual(['one\ntwo\n', 'b\n', false]);
  // What a command made stays: nobody knows whose it is.
  expect(text('made')).toBe('x\n');
  expect(kinds(sessionId)).toEqual(before);
  expect(kinds(sessionIdSchema.parse(rewound.sessionId))).toEqual(before.slice(0, rewound.seq));
  const was = await scene.store.archive.locate(rewound.files[0]?.was ?? '');
  expect(readFileSync(was?.file ?? '', 'utf8')).toBe('ONE\nTWO\n');
  const again = await scene.runner.rewind({ sessionId });
  expect(outcomes(again.files)).toEqual(['a.txt: as before', 'b.txt: as before', 'c/d.txt: as before']);
});

test('a file that somebody else changed stays, and is put back only when that is wished, with what was there archived', async () => {
  const sessionId = await work();
  writeFileSync(join(scene.root, 'a.txt'), 'mine\n');
  rmSync(join(scene.root, 'c/d.txt'));
  const careful = await scene.runner.rewind({ sessionId });
  expect(outcomes(careful.files)).toEqual(['a.txt: changed', 'b.txt: put back', 'c/d.txt: as before']);
  expect(text('a.txt')).toBe('mine\n');
  const kept = await scene.store.archive.locate(careful.files[0]?.back ?? '');
  expect(readFileSync(kept?.file ?? '', 'utf8')).toBe('one\ntwo\n');
  const forced = await scene.runner.rewind({ sessionId, force: true });
  expect([outcomes(forced.files)[0], text('a.txt')]).toEqual(['a.txt: put back', 'one\ntwo\n']);
  const was = await scene.store.archive.locate(forced.files[0]?.was ?? '');
  expect(readFileSync(was?.file ?? '', 'utf8')).toBe('mine\n');
});

test('a link, a folder or a pipe in the place of a file stays, and the others are put back', async () => {
  const sessionId = await work();
  rmSync(join(scene.root, 'a.txt'));
  writeFileSync(join(scene.root, 'elsewhere'), 'mine\n');
  symlinkSync('/etc/hostname', join(scene.root, 'a.txt'));
  const { files } = await scene.runner.rewind({ sessionId, force: true });
  expect(outcomes(files)).toEqual(['a.txt: failed', 'b.txt: put back', 'c/d.txt: removed']);
  expect(files[0]).toMatchObject({
    message: 'a.txt leads elsewhere by a link now.',
    back: expect.stringMatching(/^\w+$/),
  });
});

test('a link to another file of the repository in the place of a file stays, and so does that file', async () => {
  const sessionId = await work();
  writeFileSync(join(scene.root, 'elsewhere'), 'mine\n');
  rmSync(join(scene.root, 'a.txt'));
  symlinkSync('elsewhere', join(scene.root, 'a.txt'));
  const { files } = await scene.runner.rewind({ sessionId, force: true });
  expect(outcomes(files)).toEqual(['a.txt: failed', 'b.txt: put back', 'c/d.txt: removed']);
  expect(files[0]?.message).toBe('a.txt leads elsewhere by a link now.');
  expect(text('elsewhere')).toBe('mine\n');
});

test('what the archive holds damaged is not put back, and a preview says so', async () => {
  const sessionId = await work();
  const [first] = (await scene.runner.rewind({ sessionId, preview: true })).files;
  const kept = await scene.store.archive.locate(first?.back ?? '');
  writeFileSync(kept?.file ?? '', 'damaged\n');
  const preview = await scene.runner.rewind({ sessionId, preview: true });
  expect(outcomes(preview.files)).toEqual(['a.txt: failed', 'b.txt: put back', 'c/d.txt: removed']);
  const { files } = await scene.runner.rewind({ sessionId });
  expect(outcomes(files)).toEqual(['a.txt: failed', 'b.txt: put back', 'c/d.txt: removed']);
  expect([files[0]?.message, text('a.txt')]).toEqual([
    'Its copy in the archive is damaged and was not used.',
    'ONE\nTWO\n',
  ]);
});

test('where the archive cannot keep what is there, or the fork cannot be written, what was done is told, and it is done again later', async () => {
  const sessionId = await work();
  writeFileSync(join(scene.root, 'b.txt'), 'mine\n');
  const { store } = scene;
  const full = new ZerdError('disk_full', 'The disk is full.');
  const hold = <T>(_: unknown, of: () => Promise<T>) => of();
  const parts = { clock: systemClock, root: scene.root, hold };
  const noArchive = { ...store, archive: { ...store.archive, put: () => Promise.reject(full) } };
  await expect(rewindSession({ ...parts, store: noArchive }, { sessionId, force: true })).rejects.toMatchObject({
    code: 'disk_full',
    message: 'The disk is full. No file was changed, and there is no fork.',
  });
  expect([text('a.txt'), text('b.txt')]).toEqual(['ONE\nTWO\n', 'mine\n']);
  const noFork = { ...store, fork: () => Promise.reject(full) };
  await expect(rewindSession({ ...parts, store: noFork }, { sessionId })).rejects.toMatchObject({
    code: 'disk_full',
    message:
      'The disk is full. 2 files were put back or removed already (a.txt, c/d.txt), and there is no fork. Go back again to finish.',
  });
  expect([text('a.txt'), text('b.txt')]).toEqual(['one\ntwo\n', 'mine\n']);
  expect(outcomes((await scene.runner.rewind({ sessionId })).files)).toEqual([
    'a.txt: as before',
    'b.txt: changed',
    'c/d.txt: as before',
  ]);
});

test('a preview says of a read-only file what going back says', async () => {
  const sessionId = await work();
  chmodSync(join(scene.root, 'a.txt'), 0o444);
  const [preview, done] = [
    await scene.runner.rewind({ sessionId, preview: true }),
    await scene.runner.rewind({ sessionId }),
  ];
  const told = ({ files }: typeof done) => files.map(({ path, outcome, message }) => [path, outcome, message]);
  expect(told(preview)).toEqual(told(done));
  expect(told(done)[0]).toEqual(['a.txt', 'failed', expect.stringMatching(/^a\.txt is read-only \(mode 444\)\./)]);
});

test('folders that a turn made for its files go with them when they are empty, and no others', async () => {
  const created = (...paths: string[]) => paths.map((path) => call('write', { path, content: 'x\n' }));
  scene = await openScene({
    steps: [...created('a/b/c.txt', 'a/b/d.txt', 'kept/e.txt', 'mine/f/g.txt', 'shared/h.txt'), { text: 'Done.' }],
  });
  mkdirSync(join(scene.root, 'mine'));
  const { sessionId } = await scene.say('Create them.');
  await whenTrue(() => scene.runner.runningTurns() === 0);
  writeFileSync(join(scene.root, 'kept/other.txt'), 'mine\n');
  rmSync(join(scene.root, 'shared/h.txt'));
  await scene.runner.rewind({ sessionId, preview: true });
  expect(readdirSync(scene.root).sort()).toEqual(['a', 'kept', 'mine', 'shared']);
  await scene.runner.rewind({ sessionId });
  const left = readdirSync(scene.root, { recursive: true }).map(String);
  expect(left.sort()).toEqual(['kept', 'kept/other.txt', 'mine']);
});

test('a write that was cut off counts for the file that it named, however it named it, and only where it came to be', async () => {
  const sessionId = await work();
  const turnId = 'turn_cut' as TurnId;
  const cutOff = (path: string, callId = path as CallId) => [
    { kind: 'toolCall.started' as const, turnId, callId, name: 'write', inputJson: JSON.stringify({ path }) },
    {
      kind: 'toolCall.finished' as const,
      turnId,
      callId,
      outcome: 'unknown' as const,
      shown: '',
      bytes: 0,
      durationMs: 0,
    },
  ];
  await scene.store.append(sessionId, [...cutOff('./a.txt'), ...cutOff(join(scene.root, 'b.txt')), ...cutOff('e.txt')]);
  writeFileSync(join(scene.root, 'b.txt'), 'half\n');
  const { files } = await scene.runner.rewind({ sessionId });
  expect(outcomes(files)).toEqual(['a.txt: put back', 'b.txt: changed', 'c/d.txt: removed', 'e.txt: unknown']);
});

test('what a daemon that was killed left beside a file goes', async () => {
  const sessionId = await work();
  const { pid = 0 } = spawnSync('true');
  const left = join(scene.root, 'c', `.zerd-${pid}-0123abcd-0123456789abcdef.tmp`);
  writeFileSync(left, 'half');
  await scene.runner.rewind({ sessionId, preview: true });
  expect(existsSync(left)).toBe(true);
  await scene.runner.rewind({ sessionId });
  expect(existsSync(left)).toBe(false);
});

test('mode, line ends and bytes that are no text come back as they were', async () => {
  scene = await openScene({
    steps: [
      call('edit', { path: 'run.sh', old: 'one', new: 'two' }),
      call('edit', { path: 'crlf.txt', old: 'one', new: 'two' }),
      call('edit', { path: 'latin.txt', old: 'one', new: 'two' }),
      { text: 'Done.' },
    ],
  });
  const were = { 'run.sh': 'one\n', 'crlf.txt': 'one\r\nx\r\n', 'latin.txt': Buffer.from('one \xe9\n', 'latin1') };
  for (const [path, content] of Object.entries(were)) writeFileSync(join(scene.root, path), content);
  chmodSync(join(scene.root, 'run.sh'), 0o750);
  const { sessionId } = await scene.say('Change them.');
  await whenTrue(() => scene.runner.runningTurns() === 0);
  const { files } = await scene.runner.rewind({ sessionId });
  expect(outcomes(files)).toEqual(['run.sh: put back', 'crlf.txt: put back', 'latin.txt: put back']);
  for (const [path, content] of Object.entries(were))
    expect([path, readFileSync(join(scene.root, path))]).toEqual([path, Buffer.from(content)]);
  expect(statSync(join(scene.root, 'run.sh')).mode & 0o777).toBe(0o750);
});

test('what a sub-agent changed is put back too', async () => {
  scene = await openScene({
    files: { 'a.txt': 'one\n' },
    player: crewPlayer([gives({ prompt: 'Edit it.', write: true }), { text: 'Done.' }], (_, turn) =>
      turn === 0 ? call('edit', { path: 'a.txt', old: 'one', new: 'two' }) : { text: 'Edited.' },
    ),
  });
  const { sessionId } = await scene.say('Delegate it.');
  await whenTrue(() => scene.runner.runningTurns() === 0);
  expect(text('a.txt')).toBe('two\n');
  const { files } = await scene.runner.rewind({ sessionId });
  expect([outcomes(files), text('a.txt')]).toEqual([['a.txt: put back'], 'one\n']);
});

test('while a turn runs nothing is taken back', async () => {
  scene = await openScene({ steps: [call('shell', { command: 'sleep 60' })] });
  const { sessionId } = await scene.say('Wait.');
  await scene.until(sessionId, 'toolCall.started');
  await expect(scene.runner.rewind({ sessionId })).rejects.toThrow(/is running a turn; nothing was taken back/);
  expect((await scene.runner.rewind({ sessionId, preview: true })).files).toEqual([]);
});

test.each([
  ['approval.requested', call('write', { path: 'new.txt', content: 'x' })],
  ['question.asked', call('question', { text: 'Which one?' })],
] as const)('a turn that waits for the user (%s) is in the way, and what to do is said', async (kind, step) => {
  scene = await openScene({ steps: [step] });
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  await scene.say('Go.', { sessionId });
  await scene.until(sessionId, kind);
  await expect(scene.runner.rewind({ sessionId })).rejects.toMatchObject({
    code: 'turn_running',
    message: `Session ${sessionId} is running a turn; nothing was taken back. It waits for your word: answer it (\`zerd answer\`) or interrupt it.`,
  });
  expect((await scene.runner.rewind({ sessionId, preview: true })).files).toEqual([]);
  await scene.runner.interrupt(sessionId);
  expect((await scene.runner.rewind({ sessionId })).text).toBe('Go.');
});

/** A store whose archive keeps nothing between `closeUntilAsked` and `open`; it settles when somebody waits for that. */
function gatedArchive() {
  let [arrive, open, gate] = [() => {}, () => {}, Promise.resolve()];
  const throughStore = (store: Store): Store => ({
    ...store,
    archive: {
      ...store.archive,
      async put(bytes) {
        arrive();
        await gate;
        return store.archive.put(bytes);
      },
    },
  });
  async function closeUntilAsked(): Promise<void> {
    gate = new Promise<void>((resolve) => (open = resolve));
    await new Promise<void>((resolve) => (arrive = resolve));
  }
  return { throughStore, closeUntilAsked, open: () => open() };
}

test('while files are put back no turn begins, nothing else is taken back or removed, and what was queued begins behind it', async () => {
  const archive = gatedArchive();
  const sessionId = await work({ throughStore: archive.throughStore });
  const asked = archive.closeUntilAsked();
  const going = scene.runner.rewind({ sessionId });
  await asked;
  const { runner, env } = scene;
  const said = { env, sessionId, trust: true };
  const refusals = await Promise.all(
    [
      () => runner.startTurn({ ...said, text: 'Go on.' }),
      () => runner.compact(said),
      () => runner.rewind({ sessionId }),
      () => runner.removeSession(sessionId),
      () => runner.forget('a secret of some length'),
    ].map((ask) => ask().catch((error: unknown) => `${(error as ZerdError).code}: ${(error as ZerdError).message}`)),
  );
  const held = (not: string) =>
    `turn_running: Session ${sessionId} is being taken back; ${not}. Try again when that is done.`;
  expect(refusals).toEqual([
    held('nothing was submitted'),
    held('nothing was submitted'),
    held('nothing was taken back'),
    held('nothing was removed'),
    held('nothing was changed'),
  ]);
  const queued = await runner.queue({ ...said, text: 'Then this.' });
  const atOnce = [queued.began, runner.runningTurns()];
  archive.open();
  const { files } = await going;
  expect([atOnce, outcomes(files)]).toEqual([
    [undefined, 0],
    ['a.txt: put back', 'b.txt: put back', 'c/d.txt: removed'],
  ]);
  await whenTrue(() => kinds(sessionId).filter((kind) => kind === 'turn.finished').length === 3);
  const messages = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'message.submitted' ? [event] : []));
  expect(messages.at(-1)?.text).toBe('Then this.');
});

test('where there is no such point, nothing is changed', async () => {
  const sessionId = await work();
  const refused = async (wish: object) => {
    const error: unknown = await scene.runner.rewind({ sessionId, ...wish }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ZerdError);
    return (error as ZerdError).message;
  };
  const rows = scene.rows().length;
  expect(await refused({ turns: 3 })).toMatch(/has fewer than 3 messages to take back\. Nothing was changed\./);
  expect(await refused({ atSeq: 9_999 })).toMatch(/has no event 9999\. Nothing was changed\./);
  expect([text('a.txt'), scene.rows().length]).toEqual(['ONE\nTWO\n', rows]);
});
