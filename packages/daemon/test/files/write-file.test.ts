import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { inTurn } from '@zerd/daemon/files/in-turn';
import { hashOf } from '@zerd/daemon/files/load-file';
import { sweepBeside } from '@zerd/daemon/files/sweep-beside';
import { temporaryIn } from '@zerd/daemon/files/temporary';
import { writeFile } from '@zerd/daemon/files/write-file';
import type { WriteStep, WriteWish } from '@zerd/daemon/files/written';
import { archiveIdSchema } from '@zerd/protocol/common/ids';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-write-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let folder = '';
let file = '';
let archived: Buffer[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(top, 'case-'));
  file = join(folder, 'a.txt');
  archived = [];
  writeFileSync(file, 'old');
});

const hash = (text: string) => hashOf(Buffer.from(text));

function write(change: Partial<WriteWish> = {}) {
  return writeFile({
    real: file,
    path: 'a.txt',
    bytes: Buffer.from('new!'),
    expected: hash('old'),
    archive: {
      put: async (body) => {
        archived.push(Buffer.from(body as Uint8Array));
        return archiveIdSchema.parse(hashOf(Buffer.from(body as Uint8Array)));
      },
    },
    signal: new AbortController().signal,
    ...change,
  });
}

const changedMessage = 'a.txt was changed by somebody else at this very moment. Nothing was written. Read it again.';

test('F-47 at every step the file holds its old bytes or the new ones, and nothing else is left behind', async () => {
  const states: [WriteStep, string, number][] = [];
  const onStep = (step: WriteStep) => {
    states.push([step, readFileSync(file, 'utf8'), statSync(file).dev]);
    for (const name of readdirSync(folder)) {
      expect(readFileSync(join(folder, name), 'utf8')).toMatch(/^(old|new!)$/);
      expect(lstatSync(join(folder, name)).dev).toBe(statSync(folder).dev);
    }
  };
  expect(await write({ onStep })).toEqual({ ok: true, hash: hash('new!') });
  const { dev } = statSync(folder);
  expect(states).toEqual([
    ['prepared', 'old', dev],
    ['replaced', 'new!', dev],
  ]);
  expect(readdirSync(folder)).toEqual(['a.txt']);
});

test.each(['prepared', 'archived'] as const)(
  'F-47 when writing breaks off at "%s" the old file is whole',
  async (at) => {
    if (at === 'archived') linkSync(file, join(folder, 'b.txt'));
    const onStep = (step: WriteStep) => {
      if (step === at) throw new Error('broken off');
    };
    await expect(write({ onStep })).rejects.toThrow('broken off');
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  },
);

test('F-47 an interrupt before the file is replaced leaves the old one', async () => {
  const stop = new AbortController();
  const answer = await write({ signal: stop.signal, onStep: () => stop.abort() });
  expect(answer).toEqual({ ok: false, interrupted: true, message: 'a.txt was not changed: interrupted.' });
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a.txt']]);
});

const meanwhile: Readonly<Record<string, () => void>> = {
  'other bytes': () => writeFileSync(file, 'theirs'),
  'other bytes of the same size and time': () => {
    const { mtime } = statSync(file);
    writeFileSync(file, 'OLD');
    execFileSync('touch', ['-d', mtime.toISOString(), file]);
  },
  'no file': () => rmSync(file),
  'a link to a file with the same bytes': () => {
    writeFileSync(join(top, 'outside'), 'old');
    rmSync(file);
    symlinkSync(join(top, 'outside'), file);
  },
};

test.each(Object.keys(meanwhile))('F-44 between plan and rename there is suddenly %s: refused', async (name) => {
  let theirs: unknown;
  const onStep = () => {
    meanwhile[name]?.();
    theirs = readdirSync(folder).filter((entry) => !entry.endsWith('.tmp'));
  };
  expect(await write({ onStep })).toEqual({ ok: false, interrupted: false, message: changedMessage });
  expect(readdirSync(folder)).toEqual(theirs);
  if (name === 'other bytes') expect(readFileSync(file, 'utf8')).toBe('theirs');
  if (name.startsWith('a link')) expect(readFileSync(join(top, 'outside'), 'utf8')).toBe('old');
});

test('F-44 a file with hard links that changes meanwhile is not overwritten', async () => {
  linkSync(file, join(folder, 'b.txt'));
  const onStep = () => writeFileSync(file, 'theirs');
  expect(await write({ onStep })).toEqual({ ok: false, interrupted: false, message: changedMessage });
  expect(readFileSync(file, 'utf8')).toBe('theirs');
});

test('F-44 a file that somebody else creates meanwhile is not touched', async () => {
  const real = join(folder, 'new', 'b.txt');
  const onStep = () => writeFileSync(real, 'theirs');
  expect(await write({ real, expected: undefined, onStep })).toMatchObject({ ok: false, message: changedMessage });
  expect([readFileSync(real, 'utf8'), readdirSync(dirname(real))]).toEqual(['theirs', ['b.txt']]);
});

test('S-52 a folder on the way that became a link meanwhile is not followed', async () => {
  const inside = join(folder, 'sub');
  const outside = mkdtempSync(join(top, 'outside-'));
  mkdirSync(inside);
  writeFileSync(join(inside, 'x'), 'old');
  writeFileSync(join(outside, 'x'), 'old');
  const swap = () => {
    rmSync(inside, { recursive: true });
    symlinkSync(outside, inside);
  };
  expect(await write({ real: join(inside, 'x'), onStep: swap })).toMatchObject({ ok: false });
  expect(await write({ real: join(inside, 'y'), expected: undefined })).toMatchObject({ ok: false });
  expect([readdirSync(outside), readFileSync(join(outside, 'x'), 'utf8')]).toEqual([['x'], 'old']);
});

const isRoot = process.getuid?.() === 0;

test('F-46 mode and owner stay', async () => {
  const before = statSync(file);
  const owner = isRoot ? [65_534, 65_534] : [before.uid, before.gid];
  chownSync(file, owner[0] ?? 0, owner[1] ?? 0);
  chmodSync(file, 0o2751);
  await write();
  const { mode, uid, gid } = statSync(file);
  expect([mode & 0o7777, [uid, gid], readFileSync(file, 'utf8')]).toEqual([0o2751, owner, 'new!']);
});

/** As another user: root may do everything. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

const inPlaceCases: readonly (readonly [string, number])[] = [
  ['a sticky folder with a file of another user', 0o1777],
  ['a folder that may not be written', 0o755],
];

(isRoot ? test : test.skip).each(inPlaceCases)('F-46 in %s the file is written in place', async (_name, mode) => {
  chmodSync(top, 0o755);
  chmodSync(folder, mode);
  chmodSync(file, 0o666);
  expect(await asNobody(() => write())).toEqual({
    ok: true,
    hash: hash('new!'),
    note: `Written in place because its folder lets no file be replaced; the old content is archived as ${hash('old').slice(0, 12)}.`,
  });
  expect([readFileSync(file, 'utf8'), statSync(file).uid, readdirSync(folder)]).toEqual(['new!', 0, ['a.txt']]);
  expect(archived.map(String)).toEqual(['old']);
});

test('a new file gets the mode of any new file, and the folders that it needs', async () => {
  const real = join(folder, 'x', 'y', 'b.txt');
  writeFileSync(join(folder, 'plain'), '');
  expect(await write({ real, expected: undefined })).toEqual({ ok: true, hash: hash('new!'), madeFolders: 2 });
  expect([readFileSync(real, 'utf8'), statSync(real).mode]).toEqual(['new!', statSync(join(folder, 'plain')).mode]);
  expect([statSync(real).nlink, readdirSync(dirname(real))]).toEqual([1, ['b.txt']]);
});

const python = (code: string, of = file) =>
  execFileSync('python3', ['-c', code, of], { encoding: 'utf8', stdio: 'pipe' }).trim();

const setAttribute = "import os,sys; os.setxattr(sys.argv[1], 'user.note', b'keep me')";

/** Not every file system of temporary folders has them. */
function hasAttributes(): boolean {
  try {
    python(setAttribute, top);
    return true;
  } catch {
    return false;
  }
}

(hasAttributes() ? test : test.skip)('F-46 extended attributes stay', async () => {
  python(setAttribute);
  await write();
  expect(python("import os,sys; print(os.getxattr(sys.argv[1], 'user.note').decode())")).toBe('keep me');
});

test.each(['444', '555', '400'])('F-46 a read-only file (mode %s) is refused, for root too', async (mode) => {
  chmodSync(file, Number.parseInt(mode, 8));
  expect(await write()).toEqual({
    ok: false,
    interrupted: false,
    message: `a.txt is read-only (mode ${mode}). Nothing was changed. If it should change, make it writable first (chmod u+w).`,
  });
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('F-46 P052 a file with hard links is written in place after its old content is archived', async () => {
  linkSync(file, join(folder, 'b.txt'));
  const { ino } = statSync(file);
  const id = hash('old').slice(0, 12);
  expect(await write()).toEqual({
    ok: true,
    hash: hash('new!'),
    note: `Written in place because it has 2 names (hard links); the old content is archived as ${id}.`,
  });
  expect([readFileSync(join(folder, 'b.txt'), 'utf8'), statSync(file).ino]).toEqual(['new!', ino]);
  expect(archived.map(String)).toEqual(['old']);
});

test('P052 a shorter content leaves nothing of the longer one', async () => {
  linkSync(file, join(folder, 'b.txt'));
  await write({ bytes: Buffer.from('x') });
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('x');
});

test('P052 a hard-linked file stays as it is when its old content cannot be archived', async () => {
  linkSync(file, join(folder, 'b.txt'));
  const archive = { put: () => Promise.reject(new Error('no space')) };
  await expect(write({ archive })).rejects.toThrow('no space');
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('changes of one file happen one after another', async () => {
  const order: string[] = [];
  let letFirstEnd = () => {};
  const gate = new Promise<void>((resolve) => {
    letFirstEnd = resolve;
  });
  const first = inTurn('/f', async () => {
    order.push('first begins');
    await gate;
    order.push('first ends');
    throw new Error('failed');
  });
  const second = inTurn('/f', async () => order.push('second'));
  const other = inTurn('/g', async () => order.push('other'));
  await other;
  letFirstEnd();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['first begins', 'other', 'first ends', 'second']);
});

test('what a writer that was killed left beside a file goes, and only that', async () => {
  const { pid: dead = 0 } = spawnSync('true');
  const temporary = (of: number) => `.zerd-${of}-0123abcd-0123456789abcdef.tmp`;
  const gone = [temporary(dead), temporary(process.pid)];
  const kept = [basename(temporaryIn(folder)), temporary(process.ppid), '.zerd-mine.tmp', 'a.txt'].sort();
  for (const name of [...gone, ...kept]) writeFileSync(join(folder, name), '');
  await sweepBeside(folder, ['a.txt', 'missing/b.txt', '../outside']);
  expect(readdirSync(folder).sort()).toEqual(kept);
});
