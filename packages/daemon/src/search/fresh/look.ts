/**
 * Asks ripgrep itself what it would search: the files of folders, and which names in them it leaves aside, so that no
 * rule of ignore files is read by anybody else. Invariant: a folder that is asked about is known to be visible; ripgrep
 * would list one that is named to it even where it is ignored.
 */
import { readdirSync } from 'node:fs';
import { runRipgrep } from '../../processes/ripgrep.ts';
import { bytesOfName, isPlainName, lossyName, nameOfBytes } from './names.ts';
import { mostAside, nameOf, parentOf } from './tree.ts';

export interface FolderLook {
  readonly files: Set<string>;
  /** Visible folders in it, also empty ones. */
  readonly folders: Set<string>;
  readonly aside: Set<string>;
}

export interface LookWish {
  readonly root: string;
  readonly signal: AbortSignal;
}

/** Up to so many folders are asked about one by one, else a tree that holds them all. */
const fewFolders = 4;

/**
 * What each folder holds, one level deep. A folder that is gone, or no folder any more, is left out. Ripgrep gets one
 * folder at a time: with several it applies the rules of one to another now and then (15.0.0).
 */
export async function lookAt(wish: LookWish, folders: readonly string[]): Promise<Map<string, FolderLook>> {
  const looks = new Map<string, FolderLook>();
  const subfolders = new Map<string, readonly string[]>();
  for (const folder of folders) {
    const names = foldersIn(wish.root, folder);
    if (!names) continue;
    subfolders.set(folder, names);
    looks.set(folder, { files: new Set(), folders: new Set(), aside: new Set() });
  }
  for (const [folder, depth] of targetsOf([...looks.keys()])) await fill(wish, looks, folder, depth);
  for (const [folder, names] of subfolders) {
    const look = looks.get(folder);
    for (const name of names) if (!look?.aside.has(lossyName(name))) look?.folders.add(name);
  }
  return looks;
}

function targetsOf(folders: readonly string[]): readonly (readonly [folder: string, depth: number])[] {
  // A name that is no UTF-8 cannot be an argument of a process, but those above it can.
  if (folders.length <= fewFolders && folders.every((folder) => folder === lossyName(folder))) {
    return folders.map((folder) => [folder, 1]);
  }
  const above = commonFolder(folders);
  const depth = Math.max(...folders.map((folder) => depthOf(folder))) - depthOf(above) + 1;
  return [[above, depth]];
}

function commonFolder(folders: readonly string[]): string {
  const [first = '', ...others] = folders;
  let common = first;
  while (common !== lossyName(common) || !others.every((folder) => isIn(common, folder))) common = parentOf(common);
  return common;
}

function isIn(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function depthOf(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

async function fill(wish: LookWish, looks: Map<string, FolderLook>, folder: string, depth: number): Promise<void> {
  await list(wish, ['--max-depth', String(depth), '--', `./${folder}`], {
    file(path) {
      looks.get(parentOf(path))?.files.add(nameOf(path));
      return true;
    },
    aside: (path) => addAside(looks.get(parentOf(path))?.aside, nameOf(path)),
  });
}

/** Names of the folders in it, ignored ones included. Undefined: it is gone, or no folder any more. */
export function foldersIn(root: string, folder: string): readonly string[] | undefined {
  try {
    const names = readdirSync(onDisk(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    return names.some((name) => name.includes('\uFFFD')) ? strangeFoldersIn(root, folder) : names;
  } catch {
    return undefined;
  }
}

function strangeFoldersIn(root: string, folder: string): readonly string[] {
  const entries = readdirSync(onDisk(root, folder), { withFileTypes: true, encoding: 'buffer' });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => nameOfBytes(name));
}

interface Listener {
  /** False: enough. */
  file(path: string): boolean;
  aside(path: string): void;
}

/** All files that ripgrep would search, and each name that it leaves aside. */
export function lookAtAll(wish: LookWish, on: Listener): Promise<void> {
  return list(wish, ['--', './'], on);
}

/** Bounded: a folder of very many objects beside sources is looked at again rather than remembered. */
export function addAside(aside: Set<string> | undefined, name: string): void {
  if (aside && aside.size < mostAside) aside.add(name);
}

async function list({ root, signal }: LookWish, args: readonly string[], on: Listener): Promise<void> {
  let more = true;
  const files = splitter('\0', (bytes) => {
    more = more && on.file(plain(nameOfBytes(bytes)));
  });
  const messages = splitter('\n', (bytes) => {
    const [, path] = asideMessage.exec(bytes.toString('utf8')) ?? [];
    if (path !== undefined) on.aside(plain(path));
  });
  await runRipgrep({
    args: ['--files', '--null', '--debug', ...args],
    cwd: root,
    signal,
    onOutput: (chunk) => {
      files(chunk);
      return more ? 'go' : 'stop';
    },
    onMessage: messages,
  });
}

// The one place where ripgrep says what it leaves aside; a name with a newline in it is missed and looked at again.
const asideMessage = /^rg: DEBUG\|ignore::walk\|[^|]*: ignoring (.+): Ignore\(IgnoreMatch\(/s;

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

/** Gives each whole piece of a stream of bytes; what a name may hold is never cut. */
function splitter(mark: '\0' | '\n', take: (piece: Buffer) => void): (chunk: Buffer) => void {
  const byte = mark.charCodeAt(0);
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(byte); end >= 0; end = bytes.indexOf(byte, at)) {
      take(bytes.subarray(at, end));
      at = end + 1;
    }
    rest = bytes.subarray(at);
  };
}

/** As the file system takes it. */
export function onDisk(root: string, path: string): string | Buffer {
  const folder = root.endsWith('/') ? root : `${root}/`;
  return isPlainName(path) ? folder + path : Buffer.concat([Buffer.from(folder), bytesOfName(path)]);
}

/** A change of it may change what is visible in its folder and below. */
export function hasRules(name: string): boolean {
  return name === '.gitignore' || name === '.ignore' || name === '.rgignore' || name === '.git';
}
