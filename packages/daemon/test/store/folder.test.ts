import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { remoteByMagic, remoteFileSystem } from '../../src/store/network-file-system.ts';
import { openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder } from './temporary.ts';

test('folders are 0700 and files 0600, even under umask 000 and over looser ones', async () => {
  const before = process.umask(0);
  try {
    const folder = join(temporaryFolder(), 'deep', 'state');
    mkdirSync(folder, { recursive: true, mode: 0o777 });
    writeFileSync(join(folder, 'zerd.db'), '', { mode: 0o666 });
    const store = await openStore({ folder, clock: systemClock });
    await store.append(one, [said('a')]);
    await store.archive.put('body');
    const spooled = store.archive.spoolPath();
    writeFileSync(spooled, 'output', { mode: 0o666 });
    await store.archive.adopt(spooled);
    const modes = modesUnder(folder);
    expect(modes.size).toBeGreaterThanOrEqual(9);
    for (const [path, mode] of modes)
      expect([path, mode]).toEqual([path, statSync(path).isDirectory() ? '700' : '600']);
    await store.close();
  } finally {
    process.umask(before);
  }
});

test('F-40: a folder on a network file system is refused before anything is made in it', async () => {
  const root = temporaryFolder();
  const mounts = `1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:4 / ${root} rw shared:3 master:1 - nfs4 host:/home rw\n`;
  const mountInfoFile = join(temporaryFolder(), 'mountinfo');
  writeFileSync(mountInfoFile, mounts);
  const link = join(temporaryFolder(), 'link');
  symlinkSync(root, link);
  for (const folder of [join(root, 'a', 'b'), join(link, 'a')]) {
    const opening = openStore({ folder, clock: systemClock, mountInfoFile });
    await expect(opening).rejects.toMatchObject({ code: 'store_unsafe', message: expect.stringContaining('nfs4') });
  }
  expect(existsSync(join(root, 'a'))).toBe(false);
});

test('F-40: the file system is that of the innermost, newest mount; FUSE is remote unless known to be local', () => {
  const check = (mounts: readonly string[], path: string, expected: string | undefined) =>
    expect(remoteFileSystem(mounts.join('\n'), path)).toBe(expected);
  const mount = (point: string, type: string) => `36 35 98:0 / ${point} rw,noatime shared:1 - ${type} source rw`;
  const root = mount('/', 'ext4');
  check([root, mount('/mnt/c', '9p')], '/mnt/c/state', '9p');
  check([root, mount('/mnt/c', '9p')], '/mnt/cc/state', undefined);
  check([mount('/home', 'nfs'), root, mount('/home/me', 'btrfs')], '/home/me/x', undefined);
  check([mount('/', '9p'), mount('/home', 'xfs')], '/', '9p');
  check([root, mount('/m', 'ext4'), mount('/m', 'cifs')], '/m', 'cifs');
  check([root, mount('/m\\040y', 'fuse.sshfs')], '/m y/x', 'fuse.sshfs');
  check([root, mount('/m', 'fuse.gocryptfs')], '/m/x', undefined);
  check([root, mount('/m', 'fuseblk')], '/m/x', undefined);
  check(['36 35 98:0 / /m rw - smb3 source rw'], '/m', 'smb3');
  check(['', 'nonsense'], '/m', undefined);
});

test('F-40: without a list of mounts the type number of the file system decides', () => {
  const check = (type: number, expected: string | undefined) => expect(remoteByMagic(type)).toBe(expected);
  check(0x6969, 'nfs');
  check(0xfe534d42, 'smb2');
  check(0xff534d42 | 0, 'cifs');
  check(0x01021997, '9p');
  check(0xef53, undefined);
});

test('a folder that cannot be made is refused with what to do', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const opening = openStore({ folder: join(file, 'state'), clock: systemClock });
  await expect(opening).rejects.toMatchObject({
    code: 'store_unsafe',
    message: expect.stringContaining('Set XDG_STATE_HOME'),
  });
});

test('a folder that is too open is narrowed', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  await (await openStore({ folder, clock: systemClock })).close();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

function modesUnder(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const paths = [folder, ...names.map((name) => join(folder, name))];
  return new Map(paths.map((path) => [path, (statSync(path).mode & 0o777).toString(8)]));
}
