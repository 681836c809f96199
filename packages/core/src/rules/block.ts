/**
 * Words a file of rules as the model is shown it, and takes such words apart again. Invariants: what is cut is named with
 * its archive id (I4); nothing in the file can end its block; blocks stand at the end of what carries them.
 */

import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { RulesFile } from '@zerd/protocol/common/rules-file';
import { formatCount } from '../context/admit/format-count.ts';
import { shortId } from '../context/cleared.ts';
import { clipUtf8, utf8Length, wellFormed } from '../text/utf8.ts';

export interface FoundRules {
  /** Relative to the root; a file outside it by its whole path. */
  readonly path: string;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly text: string;
  /** Of the whole text. */
  readonly archiveId: ArchiveId;
}

export interface RulesBlock {
  readonly file: RulesFile;
  readonly text: string;
}

/** `cap`: bytes of the file's text that are shown. */
export function rulesBlock({ path, hash, text, archiveId }: FoundRules, cap: number): RulesBlock {
  const whole = wellFormed(text).trimEnd();
  const bytes = utf8Length(whole);
  const kept = bytes <= cap ? whole : atLineEnd(clipUtf8(whole, cap));
  const cut = kept.length < whole.length;
  const rest = cut ? `\n${restLine(whole, kept, archiveId)}` : '';
  const block = `\n<rules from=${named(path)}>\n${contained(kept)}${rest}\n</rules>`;
  const file = { path, hash, bytes, ...(cut ? { archiveId } : {}), chars: block.length };
  return { file, text: block };
}

function atLineEnd(text: string): string {
  const end = text.lastIndexOf('\n');
  // A single long line is cut where it is.
  return end > text.length / 2 ? text.slice(0, end) : text;
}

function restLine(whole: string, kept: string, archiveId: ArchiveId): string {
  const lines = whole.split('\n').length;
  const shown = kept.split('\n').length;
  const inLine = whole[kept.length] !== '\n';
  const what = `${formatCount(lines - shown)} of ${formatCount(lines)} lines`;
  const from = `recall {"id":"${shortId(archiveId)}","offset":${inLine ? shown : shown + 1}}`;
  return inLine ? `[The end of line ${shown} and ${what} are not shown: ${from}]` : `[${what} are not shown: ${from}]`;
}

function contained(text: string): string {
  return text.replace(/<(?=\/?(?:rules|system-reminder))/gi, '&lt;');
}

/** A folder may be called `<`, and one in it `rules>`. */
function named(path: string): string {
  return JSON.stringify(path).replaceAll('<', '\\u003c');
}

/** Rules as something in the transcript shows them. */
export interface ShownRules {
  readonly path: string;
  readonly hash: string;
  /** Their block, word for word. */
  readonly text: string;
}

/** Takes the blocks of `files` off the end of `shown`. */
export function splitRules(
  shown: string,
  files: readonly RulesFile[] = [],
): { readonly body: string; readonly rules: readonly ShownRules[] } {
  let end = shown.length;
  const rules = files.toReversed().map(({ path, hash, chars = 0 }) => {
    end -= chars;
    return { path, hash, text: shown.slice(Math.max(0, end), end + chars) };
  });
  return { body: shown.slice(0, Math.max(0, end)), rules: rules.toReversed() };
}
