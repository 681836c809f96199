import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { isWithin, resolvePath } from '@zerd/daemon/files/resolve';
import fc from 'fast-check';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-resolve-')));
const root = join(top, 'w', 'app');
const secrets = join(top, 'w', 'app-secrets');

mkdirSync(join(root, 'src', 'deep'), { recursive: true });
mkdirSync(secrets, { recursive: true });
writeFileSync(join(root, 'src', 'a.ts'), 'a');
writeFileSync(join(secrets, 'key'), 'secret');
const links: Readonly<Record<string, string>> = {
  'to-a': 'src/a.ts',
  'to-src': join(root, 'src'),
  'src/up': '..',
  chain: 'to-src',
  'new-inside': 'src/not-there-yet.ts',
  out: join(secrets, 'key'),
  'out-folder': '../app-secrets',
  'out-chain': 'out',
  'out-new': join(top, 'not-there-yet'),
  'out-root': '/',
  'src/deep/home': '/root/.ssh',
  circle: 'circle',
  proc: '/proc/self/root',
};
for (const [link, target] of Object.entries(links)) symlinkSync(target, join(root, link));
symlinkSync(root, join(top, 'way-in'));
afterAll(() => rmSync(top, { recursive: true }));

test.each([
  ['src/a.ts', 'src/a.ts', true],
  ['./src//a.ts', 'src/a.ts', true],
  ['src/../src/a.ts', 'src/a.ts', true],
  ['.', '.', true],
  ['src/', 'src', true],
  ['src/new.ts', 'src/new.ts', false],
  ['new/deeper/x.ts', 'new/deeper/x.ts', false],
  [join(root, 'src/a.ts'), 'src/a.ts', true],
  [join(top, 'way-in/src/a.ts'), 'src/a.ts', true],
  ['to-a', 'src/a.ts', true],
  ['to-src/a.ts', 'src/a.ts', true],
  ['chain/new.ts', 'src/new.ts', false],
  ['src/up/src/a.ts', 'src/a.ts', true],
  ['new-inside', 'src/not-there-yet.ts', false],
  ['...', '...', false],
  ['~user/x', '~user/x', false],
  ['a name with\nnewline', 'a name with\nnewline', false],
])('%j is %j of the workspace', async (path, inside, exists) => {
  const real = inside === '.' ? root : join(root, inside);
  expect(await resolvePath(root, path)).toEqual({ ok: true, real, path: inside, exists });
});

test.each([
  ['S-50', join(secrets, 'key')],
  ['S-50', '../app-secrets/key'],
  ['S-50', join(root, '..', 'x')],
  ['S-50', `${root}/../x`],
  ['S-50', join(top, 'W', 'APP', 'src')],
  ['S-50', `${root}\u0301/src`],
  ['S-50', join(top, 'w')],
  ['S-31', '/'],
  ['S-31', '..'],
  ['S-31', 'src/../../..'],
  ['S-31', 'out-root'],
  ['S-31', 'out-root/etc/passwd'],
  ['S-51', 'out'],
  ['S-51', 'out-folder/key'],
  ['S-51', 'out-folder/new'],
  ['S-51', 'out-chain'],
  ['S-51', 'src/deep/home/id_rsa'],
  ['S-51', `/proc/self/root${root}/src/a.ts`],
  ['S-51', `proc${root}/src/a.ts`],
  ['S-51', '/dev/fd/0'],
  ['S-51', '/proc/self/fd/0'],
  ['S-51', '/dev/stdin'],
  ['S-52', 'out-new'],
  ['S-52', 'out-new/deeper'],
])('%s %j is outside the workspace', async (_id, path) => {
  expect(await resolvePath(root, path)).toMatchObject({ ok: false, code: 'outside' });
});

test('what is outside is refused alike, whether it exists or not', async () => {
  const answers = [join(secrets, 'key'), join(secrets, 'none'), join(secrets, 'key/below')].map(async (path) => {
    const answer = await resolvePath(root, path);
    return answer.ok ? '' : answer.message.replace(path, 'PATH');
  });
  const [first, ...others] = await Promise.all(answers);
  expect(others).toEqual([first, first]);
});

test.each([
  ['~', /home folder/],
  ['~/.ssh/id_rsa', /home folder/],
  ['a\0b', /NUL/],
  ['circle', /too many symbolic links/],
  ['src/a.ts/below', /is a file, not a folder/],
  ['src/a.ts/..', /is a file, not a folder/],
  ['src/a.ts/', /is a file, not a folder/],
  ['none/../src/a.ts', /'\.\.' follows a folder that does not exist/],
  ['x'.repeat(300), /too long/],
])('%j is refused with the reason', async (path, reason) => {
  expect(await resolvePath(root, path)).toMatchObject({
    ok: false,
    code: 'invalid',
    message: expect.stringMatching(reason),
  });
});

test('a working folder that was deleted is named', async () => {
  const gone = join(top, 'gone');
  expect(await resolvePath(gone, 'a.ts')).toEqual({
    ok: false,
    code: 'folder_missing',
    message: `The working folder ${gone} is gone. Nothing was done. Restore it or start in another folder.`,
  });
});

test('S-50 S-51 S-52 whatever the path, what is resolved lies in the workspace', async () => {
  const names = ['..', '.', '', 'src', 'deep', 'none', '/', root, top, 'app-secrets', ...Object.keys(links)];
  const paths = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(
      paths.filter((path) => path !== ''),
      async (path) => {
        const answer = await resolvePath(root, path);
        if (!answer.ok) return;
        expect(isWithin(root, answer.real)).toBe(true);
        if (answer.exists)
          expect(realpathSync.native(path.startsWith('/') ? path : join(root, '/') + path)).toBe(answer.real);
      },
    ),
    { numRuns: 1_000 },
  );
});
