/**
 * Words what the model is told of files that changed on disk: the changed lines where they are few and the text around
 * them is visible (I5), else the name alone. Invariant: one reminder for all of them, within a bound (P024).
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { KnownRange } from '../../session/known-files.ts';
import type { SessionState } from '../../session/state.ts';
import { nothingTold } from '../../session/told-changes.ts';
import { changedBlocks } from '../../text/line-diff.ts';
import { utf8Length } from '../../text/utf8.ts';
import { touches } from '../repeat/carry.ts';
import { knownCopies, visibleRanges } from '../repeat/known.ts';
import { unifiedHunks } from '../repeat/unified.ts';
import { type VisibleResults, visibleResults } from '../visible.ts';
import { mostTimes, type News } from './news.ts';

export interface ChangedFile {
  readonly path: string;
  readonly news: News;
  /** SHA-256; undefined: it is gone. */
  readonly hash: string | undefined;
  /** Its lines as a read would show them; undefined: they are not to be shown. */
  readonly lines: readonly string[] | undefined;
  /** The lines that the model knows it by; undefined: nobody has them. */
  readonly base: readonly string[] | undefined;
}

/** Bytes of one file's changed lines, and of those of all files together. */
const fileBytes = 1_500;
const allBytes = 4_000;
/** Bytes of names in a row. */
const namesBytes = 2_000;
const contextLines = 1;

type Reminder = Extract<SessionEvent, { kind: 'reminder.added' }>;

/** Undefined: there is nothing to tell. */
export function filesChanged(state: SessionState, turnId: TurnId, files: readonly ChangedFile[]): Reminder | undefined {
  if (files.length === 0) return undefined;
  const visible = visibleResults(state);
  let left = allBytes;
  const told = files.map((file) => {
    const diff = diffText(state, visible, file);
    const shown = diff !== undefined && utf8Length(diff) <= left ? diff : undefined;
    left -= shown === undefined ? 0 : utf8Length(shown);
    return { ...file, shown, last: (state.told.get(file.path) ?? nothingTold).times + 1 >= mostTimes };
  });
  const diffs = told.flatMap(({ shown }) => (shown === undefined ? [] : [shown]));
  const text = [...diffs, ...listed(told), ...lastTime(told)].join('\n');
  const about = told.map(({ path, hash, shown }) => ({
    path,
    lines: shown !== undefined,
    ...(hash === undefined ? {} : { hash }),
  }));
  return { kind: 'reminder.added', turnId, text, about: { kind: 'filesChanged', files: about } };
}

type Told = ChangedFile & { readonly shown: string | undefined; readonly last: boolean };

function diffText(state: SessionState, visible: VisibleResults, file: ChangedFile): string | undefined {
  const { path, base, lines } = file;
  const seen = visibleLines(state, visible, path);
  const knowsMore = state.told.get(path)?.lines ?? false;
  if (file.news !== 'changed' || base === undefined || lines === undefined || seen.length === 0) return undefined;
  const blocks = changedBlocks(base, lines);
  if (blocks === undefined || blocks.length === 0) return undefined;
  if (!knowsMore && !blocks.some((block) => seen.some((range) => touches(block, range)))) return undefined;
  const hunks = unifiedHunks(base, lines, blocks, contextLines);
  const text = [`${plain(path)} changed on disk since you last saw it:`, ...hunks].join('\n');
  return utf8Length(text) <= fileBytes ? text : undefined;
}

function visibleLines(state: SessionState, visible: VisibleResults, path: string): readonly KnownRange[] {
  const copies = knownCopies(state, path).filter((copy) => copy.hash === state.seen.get(path)?.hash);
  return copies.flatMap((copy) => visibleRanges(copy, visible));
}

const words: Readonly<Record<News, string>> = {
  changed: 'Changed on disk since you last saw it; read it again before you rely on it',
  gone: 'No longer on disk',
  restored: 'On disk again as you last read or left it',
};

function listed(told: readonly Told[]): readonly string[] {
  return (['changed', 'gone', 'restored'] as const).flatMap((news) => {
    const paths = told.filter((file) => file.news === news && file.shown === undefined).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${words[news]}: ${namesOf(paths)}`];
  });
}

function lastTime(told: readonly Told[]): readonly string[] {
  const paths = told.filter(({ last }) => last).map(({ path }) => path);
  return paths.length === 0 ? [] : [`Further changes are not told until you read it: ${namesOf(paths)}`];
}

function namesOf(paths: readonly string[]): string {
  const shown: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += utf8Length(path) + 2;
    if (bytes > namesBytes) break;
    shown.push(plain(path));
  }
  const more = paths.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`and ${more} more`])].join(', ');
}

/** A name may hold anything; in a line of ours it stays one. */
function plain(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}
