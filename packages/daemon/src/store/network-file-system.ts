/**
 * Decides whether a folder lies on a file system that only looks local. SQLite's log needs shared memory and honest
 * locks, which network file systems lack. Invariant: a FUSE file system counts as remote unless it is known to be local.
 */

const remote = new Set(
  '9p afs beegfs ceph cifs coda davfs fhgfs glusterfs gpfs lustre ncpfs nfs nfs4 orangefs prl_fs smb3 smbfs vboxsf virtiofs vmhgfs'.split(
    ' ',
  ),
);

/** FUSE file systems over a local disk, by the name behind 'fuse.'. */
const localFuse = new Set([
  'bindfs',
  'cryfs',
  'encfs',
  'fuse-overlayfs',
  'gocryptfs',
  'mergerfs',
  'ntfs-3g',
  'securefs',
]);

/**
 * The type of the file system under the real path `path` when it is remote, else undefined. `mountInfo` is the text of
 * /proc/self/mountinfo.
 */
export function remoteFileSystem(mountInfo: string, path: string): string | undefined {
  let point = '';
  let type = '';
  for (const line of mountInfo.split('\n')) {
    const mount = parseMount(line);
    // A later mount on the same point covers the earlier one.
    if (mount === undefined || mount.point.length < point.length || !covers(mount.point, path)) continue;
    ({ point, type } = mount);
  }
  return isRemote(type) ? type : undefined;
}

function isRemote(type: string): boolean {
  if (type.startsWith('fuse.')) return !localFuse.has(type.slice('fuse.'.length));
  return remote.has(type) || type === 'fuse';
}

/** `36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw`: any number of optional fields before the dash. */
function parseMount(line: string): { readonly point: string; readonly type: string } | undefined {
  const [mount = '', source = ''] = line.split(' - ');
  const point = mount.split(' ')[4];
  const type = source.split(' ')[0];
  if (point === undefined || type === undefined) return undefined;
  return {
    point: point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    type,
  };
}

function covers(point: string, path: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}

/** Linux f_type values, for when there is no mountinfo: statfs(2), linux/magic.h. FUSE (0x65735546) counts as remote. */
const remoteMagic: Readonly<Record<number, string>> = {
  26985: 'nfs',
  20859: 'smb',
  4266872130: 'smb2',
  4283649346: 'cifs',
  16914839: '9p',
  1702057286: 'fuse',
  1397113167: 'afs',
  12805120: 'ceph',
  198183888: 'lustre',
  2020557398: 'vboxsf',
};

/** The same by the `type` of statfs. */
export function remoteByMagic(type: number): string | undefined {
  return remoteMagic[type >>> 0];
}
