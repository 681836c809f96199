/**
 * Compares two states of a text: a unified diff for people, within a cap and a time limit, and what changed in figures.
 * Only the part that differs is compared, so that a small change in a large file costs little.
 */
import { commonHead, commonTail } from '@zerd/core/text/line-diff';
import { splitLines } from '@zerd/core/text/lines';
import { clipUtf8, utf8Length, wellFormed } from '@zerd/core/text/utf8';
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff';

export interface TextDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** The first and last line that differs, in the text after; equal when lines only went. From 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

const contextLines = 3;
const timeoutMs = 200;
const maxDiffBytes = 64 * 1024;

/** `path` is relative with forward slashes; `before` undefined means that the file is new. */
export function diffTexts(path: string, before: string | undefined, after: string): TextDiff {
  const old = splitLines(before ?? '');
  const now = splitLines(after);
  const head = commonHead(old, now);
  const tail = commonTail(old, now, head);
  const from = Math.max(0, head - contextLines);
  const upTo = Math.max(0, tail - contextLines);
  const hunks = hunksOf(old.slice(from, old.length - upTo), now.slice(from, now.length - upTo), from);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const patch = {
    oldFileName: before === undefined ? '/dev/null' : `a/${path}`,
    newFileName: `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
  };
  return {
    diff: capped(wellFormed(formatPatch(patch, FILE_HEADERS_ONLY))),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    firstLine: head + 1,
    lastLine: Math.max(head + 1, now.length - tail),
  };
}

function hunksOf(old: readonly string[], now: readonly string[], skipped: number): StructuredPatchHunk[] {
  const options = { context: contextLines, timeout: timeoutMs };
  const patch = structuredPatch('', '', old.join(''), now.join(''), undefined, undefined, options);
  const hunks = patch?.hunks ?? replaceAll(old, now);
  return hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + skipped, newStart: hunk.newStart + skipped }));
}

/** A true diff, though not the shortest: for texts that have too little in common to compare in time. */
function replaceAll(old: readonly string[], now: readonly string[]): StructuredPatchHunk[] {
  const lines = [...signed('-', old), ...signed('+', now)];
  return [{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines }];
}

function signed(sign: '-' | '+', lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );
}

function capped(diff: string): string {
  if (utf8Length(diff) <= maxDiffBytes) return diff;
  const kept = clipUtf8(diff, maxDiffBytes - 80);
  const whole = kept.slice(0, kept.lastIndexOf('\n') + 1) || `${kept}\n`;
  return `${whole}[the rest of the diff is left out: ${(utf8Length(diff) - utf8Length(whole)).toLocaleString('en-US')} bytes]\n`;
}
