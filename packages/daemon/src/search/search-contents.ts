/**
 * Searches the contents of files. Ignored and hidden files are left aside unless the query's path names them: a path
 * with nothing visible to search in is searched whole. A file that holds a NUL is searched as far as ripgrep does, and
 * where that found something it is said.
 */
import { stat } from 'node:fs/promises';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SearchAnswer, SearchQuery } from '../base/ports.ts';
import { resolvePath } from '../files/resolve.ts';
import { type RipgrepEnd, runRipgrep } from '../processes/ripgrep.ts';
import { createHitCollector } from './collect-hits.ts';
import { startDeadline } from './deadline.ts';
import { hasHiddenName, hasVisibleFile, visibleAmong } from './list-files.ts';
import { createHitReader, matchFlags, scopeFlags } from './read-ripgrep.ts';
import { acceptedGlob, unrestricted } from './scope.ts';
import type { SearchRoom } from './search-room.ts';

export async function searchContents(room: SearchRoom, query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
  const { target, isFile } = await targetOf(room.root, query.path);
  using deadline = startDeadline(room.timeoutMs, signal, room.clock);
  const expired = `stopped after ${room.timeoutMs / 1_000} s; narrow the search`;
  const once = { room, query, target, signal: deadline.signal, expired: deadline.expired, note: expired };
  const visible = await searchOnce({ ...once, flags: [] });
  if (isFile) return visible.answer;
  const partial = { ...visible.answer, partial: true };
  if (visible.searched > 0 || query.path === undefined || deadline.expired()) return partial;
  if (await hasVisibleFile(room.root, target, deadline.signal)) return partial;
  const all = {
    room,
    query,
    target,
    signal: deadline.signal,
    expired: deadline.expired,
    note: expired,
    flags: unrestricted,
  };
  return { ...(await searchOnce(all)).answer, partial: false };
}

/** As an argument for ripgrep that starts in the root; a link in it is followed here and checked. */
async function targetOf(
  root: string,
  path: string | undefined,
): Promise<{ readonly target: string; readonly isFile: boolean }> {
  const resolved = await resolvePath(root, path ?? '.');
  if (!resolved.ok)
    throw new ZerdError(resolved.code === 'folder_missing' ? 'folder_missing' : 'invalid_params', resolved.message);
  if (!resolved.exists) throw new ZerdError('invalid_params', `There is no ${path} in the workspace.`);
  const stats = await stat(resolved.real);
  if (!stats.isFile() && !stats.isDirectory())
    throw new ZerdError('invalid_params', `${path} is neither a file nor a folder. It was not opened.`);
  // Of './.' ripgrep would not know where the rules of nested ignore files begin.
  return { target: resolved.path === '.' ? './' : `./${resolved.path}`, isFile: stats.isFile() };
}

interface Once {
  readonly room: SearchRoom;
  readonly query: SearchQuery;
  readonly target: string;
  readonly signal: AbortSignal;
  readonly expired: () => boolean;
  readonly note: string;
  readonly flags: readonly string[];
}

async function searchOnce(once: Once): Promise<{ readonly answer: SearchAnswer; readonly searched: number }> {
  const first = await searchAmong(once, new Set());
  if (first.hidden.length === 0) return first;
  // Ripgrep's type filter brings hidden files back. Those that an ignore file lets in are to be found.
  const visible = await visibleAmong(once.room.root, first.hidden, once.signal);
  return visible.size === 0 ? { ...first, searched: 0 } : await searchAmong(once, visible);
}

/** `allowed`: hidden files that count. */
async function searchAmong(once: Once, allowed: ReadonlySet<string>) {
  const { room, query, target, signal } = once;
  const glob = query.glob === undefined ? undefined : acceptedGlob(query.glob);
  const scope = scopeFlags(query, glob);
  const hidden: string[] = [];
  const isSuspect = (path: string) => scope.length > 0 && once.flags.length === 0 && `./${path}` !== target;
  const isWanted = (path: string) => {
    if (glob !== undefined && !glob.matches(path)) return false;
    if (!isSuspect(path) || !hasHiddenName(path) || allowed.has(path)) return true;
    hidden.push(path);
    return false;
  };
  const limits = { ...room.limits, hits: Math.min(room.limits.hits, query.maxHits ?? Infinity) };
  const reader = createHitReader(createHitCollector(limits), isWanted);
  const args = ['--json', ...matchFlags(query), ...scope, ...once.flags, '--regexp', query.pattern, '--', target];
  const end = await runRipgrep({ args, cwd: room.root, signal, onOutput: reader.read }).catch((error: unknown) => {
    if (once.expired()) return undefined;
    throw error;
  });
  const trouble = end === undefined ? once.note : (troubleOf(end, reader.searched()) ?? reader.binaryNote());
  const answer = { ...reader.answer(), ...(trouble === undefined ? {} : { incomplete: trouble }) };
  return { answer, searched: reader.searched() ?? 0, hidden };
}

/** Undefined: all went well. Throws when ripgrep did not take the query. */
function troubleOf(end: RipgrepEnd, searched: number | undefined): string | undefined {
  if (searched === undefined) throw refusal(end.stderr);
  if (end.code !== 2) return undefined;
  return `some files could not be read (${firstLine(end.stderr)})`;
}

function refusal(stderr: string): ZerdError {
  const why = /^error: (.+)$/m.exec(stderr)?.[1] ?? firstLine(stderr);
  if (why.startsWith('unrecognized file type'))
    return new ZerdError('invalid_params', `${why}. Known are those of ripgrep: ts, rust, py, md and more.`);
  const advice =
    'The syntax is that of Rust regular expressions, without look-around; `literal` takes the pattern as plain text.';
  return new ZerdError('invalid_params', `The pattern was not accepted: ${why}. ${advice}`);
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^rg: /, '').slice(0, 200);
}
