/**
 * Does: before a request, looks at the files that may have changed and appends one reminder of those that did. Invariant:
 * what is told is decided by content at this moment; a file that cannot be read as it was is not spoken of.
 */
import { lstat, readFile } from 'node:fs/promises';
import { type ChangedFile, filesChanged } from '@zerd/core/context/remind/files-changed';
import { knownHash, newsOf, type OnDisk, seenPaths, suspectedPaths } from '@zerd/core/context/remind/news';
import type { SessionState } from '@zerd/core/session/state';
import { linesOf } from '@zerd/core/text/lines';
import { loadFile } from '../files/load-file.ts';
import { resolvePath } from '../files/resolve.ts';
import { shownTextOf } from '../files/shown-text.ts';
import { keepCopy } from './file-copies.ts';
import type { TurnContext } from './turn-context.ts';

/** Files that are held in memory at once. */
const atOnce = 8;
/** Larger files are not looked at; an edit of one compares it all the same. */
const maxLookedBytes = 8 * 1024 * 1024;
/** Larger files are told of by name alone. */
const maxComparedBytes = 256 * 1024;

export async function remindOfChanges(turn: TurnContext): Promise<void> {
  const { fileWatch } = turn;
  const state = turn.state();
  const paths = suspectedPaths(state, fileWatch.take());
  fileWatch.follow(seenPaths(state));
  const changed: ChangedFile[] = [];
  for (let at = 0; at < paths.length; at += atOnce) {
    if (turn.signal.aborted) return;
    const looked = await Promise.all(paths.slice(at, at + atOnce).map((path) => lookAt(turn, state, path)));
    changed.push(...looked.filter((file) => file !== undefined));
  }
  const reminder = filesChanged(state, turn.turnId, changed);
  if (reminder === undefined) return;
  await turn.append([reminder]);
}

async function lookAt(turn: TurnContext, state: SessionState, path: string): Promise<ChangedFile | undefined> {
  const found = await load(turn, path);
  const news = found && newsOf(state, path, found.now);
  if (found === undefined || news === undefined) return undefined;
  if (found.now.kind === 'gone' || found.bytes === undefined)
    return { path, news, hash: undefined, lines: undefined, base: undefined };
  const { hash } = found.now;
  const base = news === 'changed' ? await archivedLines(turn, path, knownHash(state, path)) : undefined;
  const text = base && found.bytes.length <= maxComparedBytes ? shownTextOf(path, found.bytes) : undefined;
  // What is told now is what the next change is compared with.
  if (text !== undefined) await keepCopy(turn.archive, { hash, bytes: found.bytes, text });
  return { path, news, hash, lines: text === undefined ? undefined : linesOf(text), base };
}

interface Found {
  readonly now: OnDisk;
  readonly bytes: Buffer | undefined;
}

/** Undefined: it is there, but not as a file that can be compared. */
async function load({ root, signal }: TurnContext, path: string): Promise<Found | undefined> {
  const target = await resolvePath(root, path);
  // Another path: a link has taken its place, or that of a folder above it.
  if (!target.ok || target.path !== path) return undefined;
  const size = await lstat(target.real).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > maxLookedBytes) return undefined;
  const file = await loadFile(target.real, path, signal);
  if (file.ok) return { now: { kind: 'file', hash: file.hash }, bytes: file.bytes };
  return file.kind === 'missing' ? { now: { kind: 'gone' }, bytes: undefined } : undefined;
}

async function archivedLines(
  { archive }: TurnContext,
  path: string,
  hash: string | undefined,
): Promise<readonly string[] | undefined> {
  const stored = hash === undefined ? undefined : await archive.locate(hash);
  if (stored === undefined || stored.bytes > maxComparedBytes) return undefined;
  const text = shownTextOf(path, await readFile(stored.file));
  return text === undefined ? undefined : linesOf(text);
}
