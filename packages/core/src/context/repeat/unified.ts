/** Writes changed blocks as the hunks of a unified diff, and reads them again: old lines and hunks give the new lines. */
import type { ChangedBlock } from '../../text/line-diff.ts';

/** `blocks` are all of the changes between the two, in order. */
export function unifiedHunks(
  old: readonly string[],
  now: readonly string[],
  blocks: readonly ChangedBlock[],
  context: number,
): readonly string[] {
  return grouped(blocks, context).flatMap((group) => hunkOf(old, now, group, context));
}

/** `hunks` as `unifiedHunks` wrote them for these lines. */
export function applyHunks(old: readonly string[], hunks: readonly string[]): readonly string[] {
  const now: string[] = [];
  let at = 0;
  for (const line of hunks) {
    const from = startOf(line);
    if (from !== undefined) {
      now.push(...old.slice(at, from));
      at = from;
    } else if (line.startsWith('+')) now.push(line.slice(1));
    else {
      if (line.startsWith(' ')) now.push(line.slice(1));
      at += 1;
    }
  }
  return [...now, ...old.slice(at)];
}

/** Old lines in front of a hunk; undefined: the line is no head of one. */
function startOf(line: string): number | undefined {
  const [, from, lines] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
  if (from === undefined) return undefined;
  return lines === '0' ? Number(from) : Number(from) - 1;
}

/** Neighbours whose context would meet share a hunk. */
function grouped(blocks: readonly ChangedBlock[], context: number): readonly (readonly ChangedBlock[])[] {
  const groups: ChangedBlock[][] = [];
  for (const block of blocks) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    if (open !== undefined && last !== undefined && block.from - last.to <= 2 * context) open.push(block);
    else groups.push([block]);
  }
  return groups;
}

function hunkOf(
  old: readonly string[],
  now: readonly string[],
  group: readonly ChangedBlock[],
  context: number,
): readonly string[] {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return [];
  const before = Math.min(context, first.from, first.nowFrom);
  const after = Math.min(context, old.length - last.to, now.length - last.nowTo);
  const [from, to] = [first.from - before, last.to + after];
  const [nowFrom, nowTo] = [first.nowFrom - before, last.nowTo + after];
  return [`@@ -${range(from, to)} +${range(nowFrom, nowTo)} @@`, ...body(old, now, group, { from, to })];
}

function body(
  old: readonly string[],
  now: readonly string[],
  group: readonly ChangedBlock[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly string[] {
  const lines: string[] = [];
  let at = from;
  for (const block of group) {
    lines.push(...old.slice(at, block.from).map((line) => ` ${line}`));
    lines.push(...old.slice(block.from, block.to).map((line) => `-${line}`));
    lines.push(...now.slice(block.nowFrom, block.nowTo).map((line) => `+${line}`));
    at = block.to;
  }
  return [...lines, ...old.slice(at, to).map((line) => ` ${line}`)];
}

/** From 1; an empty range names the line before it. */
function range(from: number, to: number): string {
  const lines = to - from;
  return lines === 1 ? `${from + 1}` : `${lines === 0 ? from : from + 1},${lines}`;
}
