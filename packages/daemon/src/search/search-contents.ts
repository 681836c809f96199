/**
 * Searches the contents of files. Ignored and hidden files are left aside unless the query's path names them: a path
 * with nothing visible to search in is searched whole. A file that holds a NUL is binary and never matches.
 */
import { stat } from 'node:fs/promises';
import { type Glob, parseGlob } from '@zerd/core/search/glob';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SearchAnswer, SearchQuery } from '../base/ports.ts';
import { resolvePath } from '../files/resolve.ts';
import { createMessageLines } from '../processes/message-lines.ts';
import { type RipgrepEnd, runRipgrep } from '../processes/ripgrep.ts';
import { isMatchMessage, readGiant, readMessage } from '../processes/ripgrep-messages.ts';
import { createHitCollector } from './collect-hits.ts';
import { startDeadline } from './deadline.ts';
import { hasVisibleFile } from './list-files.ts';
import { unrestricted, withoutDot } from './scope.ts';
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
  return { target: `./${resolved.path}`, isFile: stats.isFile() };
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
  const { room, query, target, signal } = once;
  const glob = query.glob === undefined ? undefined : parseGlob(query.glob);
  const reader = createReader(room, glob);
  const args = [...flagsOf(query, glob), ...once.flags, '--regexp', query.pattern, '--', target];
  const end = await runRipgrep({ args, cwd: room.root, signal, onOutput: reader.read }).catch((error: unknown) => {
    if (once.expired()) return undefined;
    throw error;
  });
  const trouble = end === undefined ? once.note : troubleOf(end, reader.searched());
  const answer = { ...reader.answer(), ...(trouble === undefined ? {} : { incomplete: trouble }) };
  return { answer, searched: reader.searched() ?? 0 };
}

function flagsOf(query: SearchQuery, glob: Glob | undefined): string[] {
  const flags = ['--json'];
  if (query.literal === true) flags.push('--fixed-strings');
  if (query.ignoreCase === true) flags.push('--ignore-case');
  if (/\n|\\n/.test(query.pattern)) flags.push('--multiline');
  if (query.context !== undefined && query.context > 0) flags.push('--context', String(query.context));
  // A type filter, because ripgrep's own globs would bring ignored and hidden files back.
  if (glob?.name !== undefined) flags.push('--type-add', `zerd:${glob.name}`, '--type', 'zerd');
  return flags;
}

function createReader(room: SearchRoom, glob: Glob | undefined) {
  const collector = createHitCollector(room.limits);
  let searched: number | undefined;
  let wanted = true;

  function line(json: Buffer): void {
    if (isMatchMessage(json) && !collector.wantsLines()) {
      collector.count();
      return;
    }
    const message = readMessage(json);
    if (message?.kind === 'begin') begin(withoutDot(message.path));
    else if (message?.kind === 'lines' && collector.wantsLines()) collector.take(message.lines, message.isMatch);
    else if (message?.kind === 'end') collector.end(wanted && !message.binary);
    else if (message?.kind === 'summary') searched = message.searched;
  }

  function begin(path: string): void {
    wanted = glob === undefined || glob.matches(path);
    collector.begin(path);
  }

  function giant(start: Buffer, facts: Buffer): void {
    if (!isMatchMessage(start)) return;
    const message = readGiant(facts);
    if (message.kind === 'lines' && collector.wantsLines()) collector.take(message.lines, true);
    else collector.count();
  }

  const feed = createMessageLines({ line, giant });
  return {
    read: (chunk: Buffer): 'go' => {
      feed(chunk);
      return 'go';
    },
    answer: collector.answer,
    /** Undefined: ripgrep did not come to its end. */
    searched: () => searched,
  };
}

/** Undefined: all went well. Throws when ripgrep did not take the query. */
function troubleOf(end: RipgrepEnd, searched: number | undefined): string | undefined {
  if (searched === undefined) throw refusal(end.stderr);
  if (end.code !== 2) return undefined;
  return `some files could not be read (${firstLine(end.stderr)})`;
}

function refusal(stderr: string): ZerdError {
  const why = /^error: (.+)$/m.exec(stderr)?.[1] ?? firstLine(stderr);
  const advice =
    'The syntax is that of Rust regular expressions, without look-around; `literal` takes the pattern as plain text.';
  return new ZerdError('invalid_params', `The pattern was not accepted: ${why}. ${advice}`);
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^rg: /, '').slice(0, 200);
}
