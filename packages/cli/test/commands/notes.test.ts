import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { KeptNotes } from '@zerd/protocol/common/notes-markdown';
import { created } from '../events.ts';
import { type FakeDaemon, fakeDaemon, sessionId, start } from '../fake-daemon.ts';

let daemon: FakeDaemon;
let folder: string;
let kept: KeptNotes;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'editor-'));
  kept = { notes: { goal: 'Ship.', next: 'tag' }, todo: '[ ] a\x1b[2J' };
  daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('notes/read', () => ({ ...kept, file: '/state/notes/ses_1.md' }));
  daemon.on('notes/write', () => ({ ...kept, file: '/state/notes/ses_1.md' }));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function notes(argv: readonly string[], env = {}) {
  const { screen, code } = start(['notes', ...argv], daemon, { env: { PATH: process.env.PATH, ...env } });
  return { code: await code, out: screen.out, err: screen.err };
}

/** An editor that notes which file it was given and does this to it. */
function editor(script: string): string {
  const file = join(folder, 'edit.sh');
  writeFileSync(file, `echo "$2" > ${folder}/given\ncp "$2" ${folder}/before\n${script}\n`);
  return `/bin/sh ${file} --wait`;
}

const given = () => readFileSync(join(folder, 'given'), 'utf8').trim();
const writes = () => daemon.requests.filter(({ method }) => method === 'notes/write').map(({ params }) => params);

test('notes are shown by their sections, with nothing that could move the cursor, and as JSON', async () => {
  const { code, out } = await notes([]);
  expect(code).toBe(0);
  expect(out).toMatch(/^## Goal\n\nShip\.\n\n## Next\n\ntag\n\n## Todo\n\n\[ \] a/);
  expect(out).not.toContain('\x1b');
  expect(JSON.parse((await notes([sessionId, '--json'])).out)).toEqual({
    sessionId,
    ...kept,
    file: '/state/notes/ses_1.md',
  });
  kept = { notes: {}, todo: '' };
  expect(await notes([])).toMatchObject({
    out: 'ses_1 keeps nothing in mind yet. Write some: zerd notes --edit\n',
  });
  expect(daemon.open()).toBe(0);
});

test('an edit sends the sections that were changed, and no others', async () => {
  kept = { notes: { goal: 'Ship.', next: 'tag' }, todo: '[ ] a' };
  const script = 'sed -i "s/Ship\\./Ship today./; s/^tag$//; s/^## Done$/## Done\\nall/" "$2"';
  expect(await notes(['--edit'], { EDITOR: 'false', VISUAL: editor(script) })).toEqual({
    code: 0,
    out: '',
    err: 'Changed: goal, done, next.\n',
  });
  expect(writes()).toEqual([{ sessionId, notes: { goal: 'Ship today.', done: 'all', next: '' } }]);
  expect(readFileSync(join(folder, 'before'), 'utf8')).toBe(
    '## Goal\n\nShip.\n\n## Decisions\n\n## Done\n\n## Next\n\ntag\n\n## Todo\n\n[ ] a\n',
  );
  expect(existsSync(dirname(given()))).toBe(false);
  expect(daemon.open()).toBe(0);
});

test('an edit that changes nothing sends nothing', async () => {
  kept = { notes: { goal: 'Ship.' }, todo: '' };
  expect(await notes(['--edit'], { EDITOR: editor(':') })).toMatchObject({ code: 0, err: 'Nothing was changed.\n' });
  expect(writes()).toEqual([]);
});

test('what could not be taken over is kept in its file, private (S-54)', async () => {
  daemon.on('notes/write', () => {
    throw new ZerdError('invalid_params', 'Not kept: too long.');
  });
  const { code, err } = await notes(['--edit'], { EDITOR: editor('echo "[ ] b" >> "$2"') });
  expect([code, err]).toEqual([1, expect.stringContaining(`Not kept: too long. Your text is kept in ${given()}.`)]);
  expect(readFileSync(given(), 'utf8')).toContain('[ ] b');
  expect([statSync(given()).mode & 0o777, statSync(dirname(given())).mode & 0o777]).toEqual([0o600, 0o700]);
  rmSync(dirname(given()), { recursive: true });
});

test('an editor that fails changes nothing and says where the text is', async () => {
  const failing = await notes(['--edit'], { EDITOR: editor('echo more >> "$2"; exit 3') });
  expect(failing).toMatchObject({
    code: 1,
    err: expect.stringContaining(`ended with 3; nothing was taken over. Your text is in ${given()}.`),
  });
  rmSync(dirname(given()), { recursive: true });
  const missing = await notes(['--edit'], { EDITOR: '/nowhere/editor' });
  expect(missing).toMatchObject({
    code: 1,
    err: expect.stringContaining('ended with 127; nothing was taken over. VISUAL'),
  });
  expect(writes()).toEqual([]);
});

test('what makes no sense is refused', async () => {
  expect(await notes(['--edit', '--json'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('one of --edit and --json'),
  });
  expect(await notes(['turn_1'])).toMatchObject({ code: 2, err: expect.stringContaining('no session id') });
});
