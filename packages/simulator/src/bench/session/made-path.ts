/**
 * Gives every recorded path a place inside the generated tree, whatever machine it was recorded on: paths outside the
 * workspace move below `outside/`, and no path is both a file and a folder. Different paths stay different where they can.
 */
import { createHash } from 'node:crypto';

/** `known`: every path of the session that is a file, as recorded. */
export function pathsFor(known: Iterable<string>): (recorded: string) => string {
  const plain = new Set([...known].map(plainPath));
  const folders = new Set([...plain].flatMap(foldersOf));
  return (recorded) => {
    const path = plainPath(recorded);
    return folders.has(path) && plain.has(path) ? `${path}.file` : path;
  };
}

/** `.` for the root. */
export function plainPath(recorded: string): string {
  const slashed = recorded.trim().replaceAll('\\', '/').replaceAll('\0', '');
  const outside = /^(\/|~|<|[a-zA-Z]:)/.test(slashed) || slashed.split('/').includes('..');
  const names = slashed
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map(nameOf);
  const inside = names.length === 0 ? '.' : names.join('/');
  return outside ? `outside/${inside}` : inside;
}

export function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}

const longestName = 120;

/** Folders of git and of zerd itself have meaning and are not played in. */
function nameOf(name: string): string {
  const safe = /^\.(git|zerd|recorded)$|^\.\.$|^~$|^[a-zA-Z]:$/.test(name)
    ? `_${name.replace(/[^a-zA-Z]/g, '')}`
    : name;
  const plain = safe.replace(/[<>]/g, '_');
  if (Buffer.byteLength(plain) <= longestName) return plain;
  return `${[...plain].slice(0, 24).join('')}-${createHash('sha256').update(plain).digest('hex').slice(0, 12)}`;
}
