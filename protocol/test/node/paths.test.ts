import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  configFolder,
  repositoryHash,
  repositoryRoot,
  runtimeFolder,
  runtimeParents,
  socketPath,
  stateFolder,
} from '../../src/node/paths.ts';
import { makePrivateFolder } from '../../src/node/private-folder.ts';

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'zp-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const uid = process.geteuid?.() ?? 0;

function rootFrom(cwd: string, ...made: readonly string[]): string {
  for (const folder of [cwd, ...made]) mkdirSync(join(base, folder), { recursive: true });
  return repositoryRoot(join(base, cwd)).slice(base.length);
}

test('the root is the nearest folder above with .git', () => {
  expect(rootFrom('a/b/c', 'a/.git', 'a/b/.git')).toBe('/a/b');
});
test('a .git above wins over a .zerd that is nearer', () => {
  expect(rootFrom('a/b/c', 'a/.git', 'a/b/.zerd')).toBe('/a');
});
test('without .git the nearest .zerd makes the root', () => {
  expect(rootFrom('a/b/c', 'a/.zerd', 'a/b/.zerd')).toBe('/a/b');
});
test('without either the working folder is the root', () => {
  expect(rootFrom('a/b')).toBe('/a/b');
});
test('a worktree, whose .git is a file, is its own root', () => {
  rootFrom('a/work/src', 'a/.git');
  writeFileSync(join(base, 'a/work/.git'), 'gitdir: elsewhere');
  expect(repositoryRoot(join(base, 'a/work/src'))).toBe(join(base, 'a/work'));
});
test('the root is a real path, so that a link to a folder has the same daemon (O-05)', () => {
  rootFrom('Ä b/c', 'Ä b/.git');
  symlinkSync(join(base, 'Ä b'), join(base, 'link'));
  expect(repositoryRoot(join(base, 'link/c'))).toBe(join(base, 'Ä b'));
});
test('a working folder that is gone is said to be', () => {
  expect(() => repositoryRoot(join(base, 'gone'))).toThrow(expect.objectContaining({ code: 'folder_missing' }));
});

function folders(env: Record<string, string | undefined>) {
  return { runtime: runtimeFolder('/repo', env), state: stateFolder('/repo', env), config: configFolder(env) };
}
const hash = repositoryHash('/repo');

test('the hash is short and differs by root', () => {
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  expect(repositoryHash('/repo/')).not.toBe(hash);
});
test('the XDG folders are used where they are given', () => {
  const env = { HOME: '/h', XDG_RUNTIME_DIR: base, XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: '/c' };
  expect(folders(env)).toEqual({ runtime: `${base}/zerd/${hash}`, state: `/s/zerd/${hash}`, config: '/c/zerd' });
});
test('without XDG folders everything is under the home (O-10)', () => {
  const state = '/h/.local/state/zerd';
  expect(folders({ HOME: '/h' })).toEqual({
    runtime: `${state}/run/${hash}`,
    state: `${state}/${hash}`,
    config: '/h/.config/zerd',
  });
});
test('relative and missing runtime folders are not used, and ZERD_CONFIG_DIR is taken as it is', () => {
  const env = { HOME: '/h', XDG_RUNTIME_DIR: `${base}/none`, XDG_STATE_HOME: 'rel', ZERD_CONFIG_DIR: '/z' };
  expect(folders(env)).toEqual({ ...folders({ HOME: '/h' }), config: '/z' });
});
test('a runtime folder of another user is not used', () => {
  if (uid !== 0) return;
  const nobody = join(base, 'theirs');
  mkdirSync(nobody);
  chownSync(nobody, 65534, 65534);
  expect(folders({ HOME: '/h', XDG_RUNTIME_DIR: nobody })).toEqual(folders({ HOME: '/h' }));
});

/** XDG_RUNTIME_DIR such that the socket's path has exactly `bytes`. */
function socketOf(bytes: number): string {
  const rest = Buffer.byteLength(socketPath(`/zerd/${hash}`));
  const folder = join(base, 'x'.repeat(bytes - rest - base.length - 1));
  mkdirSync(folder, { recursive: true });
  return socketPath(runtimeFolder('/repo', { HOME: '/h', XDG_RUNTIME_DIR: folder })).slice(0, base.length);
}
for (const [bytes, where] of [
  [99, 'kept'],
  [100, 'kept'],
  [101, 'moved'],
  [200, 'moved'],
] as const) {
  test(`a socket path of ${bytes} bytes is ${where} (O-03)`, () => {
    expect(socketOf(bytes) === base ? 'kept' : 'moved').toBe(where);
  });
}
test('where home is too deep as well, a private folder in /tmp is used', () => {
  const env = { HOME: `/${'h'.repeat(80)}` };
  expect(runtimeFolder('/repo', env)).toBe(`/tmp/zerd-${uid}/${hash}`);
  expect(runtimeParents(env)).toContain(`/tmp/zerd-${uid}`);
});

test('folders are made 0700 whatever the umask (O-04)', () => {
  const before = process.umask(0);
  try {
    makePrivateFolder(join(base, 'zerd/one'));
    process.umask(0o077);
    makePrivateFolder(join(base, 'zerd/two'));
  } finally {
    process.umask(before);
  }
  const modes = ['zerd', 'zerd/one', 'zerd/two'].map((name) => statSync(join(base, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o700]);
});
test('a folder that was opened to others is closed again', () => {
  makePrivateFolder(join(base, 'zerd/one'));
  chmodSync(join(base, 'zerd'), 0o777);
  makePrivateFolder(join(base, 'zerd/one'));
  expect(statSync(join(base, 'zerd')).mode & 0o777).toBe(0o700);
});
test('a symlink in the place of a folder is refused and its target left alone', () => {
  mkdirSync(join(base, 'target'), { mode: 0o755 });
  mkdirSync(join(base, 'zerd'));
  symlinkSync(join(base, 'target'), join(base, 'zerd/one'));
  expect(() => makePrivateFolder(join(base, 'zerd/one'))).toThrow(expect.objectContaining({ code: 'store_unsafe' }));
  expect(lstatSync(join(base, 'target')).mode & 0o777).toBe(0o755);
});
test('a folder of another user is refused (S-12)', () => {
  if (uid !== 0) return;
  mkdirSync(join(base, 'zerd/one'), { recursive: true });
  chownSync(join(base, 'zerd/one'), 65534, 65534);
  expect(() => makePrivateFolder(join(base, 'zerd/one'))).toThrow(expect.objectContaining({ code: 'store_unsafe' }));
});

test('an empty or relative HOME is none: the home of the user record counts, and every folder is absolute', () => {
  const own = userInfo().homedir;
  const before = process.env.HOME;
  try {
    for (const HOME of ['', 'rel', './x', undefined]) {
      if (HOME === undefined) delete process.env.HOME;
      else process.env.HOME = HOME;
      const env = HOME === undefined ? {} : { HOME };
      expect(configFolder(env)).toBe(join(own, '.config/zerd'));
      expect(stateFolder('/r', env)).toBe(join(own, '.local/state/zerd', repositoryHash('/r')));
      for (const parent of runtimeParents(env)) expect(isAbsolute(parent)).toBe(true);
    }
  } finally {
    process.env.HOME = before;
  }
});
