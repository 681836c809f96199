/**
 * Lays one block of a transcript out as rows. Pure. Invariant: no row is wider than asked; a call that is folded takes one
 * row, whatever it printed, and a few more where it failed.
 */
import { sanitiseOutput } from '@zerd/protocol/common/sanitise';
import { renderMarkdown } from '../markdown/render.ts';
import { segmentsOf } from '../markdown/segments.ts';
import { type Line, type Style, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { wrap } from '../text/wrap.ts';
import type { Block, CallBlock } from './blocks.ts';

export interface LayoutWish {
  readonly columns: number;
  /** The call shows all that it printed. */
  readonly open: boolean;
  readonly thinking: boolean;
  /** Milliseconds of the epoch: how long a call has been running. */
  readonly now: number;
}

export function layoutBlock(block: Block, wish: LayoutWish): readonly Line[] {
  switch (block.kind) {
    case 'user':
      return [[], ...prefixed(block.text, '> ', theme.user, wish.columns)];
    case 'answer':
      return block.text.trim() === '' ? [] : [[], ...markdown(block.text.trimEnd(), wish.columns)];
    case 'thinking':
      if (block.text === '') return [];
      return wish.thinking
        ? [[], ...prefixed(block.text.trimEnd(), '· ', theme.thinking, wish.columns)]
        : folded(block.text);
    case 'call':
      return callRows(block, wish);
    case 'note':
      return prefixed(block.text, '· ', theme[block.tone], wish.columns);
  }
}

/** That it thinks is shown, what it thinks only when it is wanted. */
function folded(text: string): readonly Line[] {
  const words = text.trim().split(/\s+/).length;
  return [[span(`· thinking, ${words} words`, theme.thinking)]];
}

const segments = new Map<string, readonly Line[]>();
/** Segments that are remembered: more than a screen ever shows. */
const mostSegments = 2_000;

/** A segment that has ended is laid out once. */
function markdown(text: string, columns: number): readonly Line[] {
  return segmentsOf(text).flatMap((segment, index) => {
    const key = `${columns} ${segment}`;
    const rows = segments.get(key) ?? renderMarkdown(segment, columns);
    segments.delete(key);
    segments.set(key, rows);
    const [oldest] = segments.keys();
    if (segments.size > mostSegments && oldest !== undefined) segments.delete(oldest);
    return index === 0 || rows.length === 0 ? rows : [[], ...rows];
  });
}

/** What is laid out anew in another way: colours of code have been loaded. */
export function forgetLayouts(): void {
  segments.clear();
}

function prefixed(text: string, mark: string, style: Style, columns: number): readonly Line[] {
  return text.split('\n').flatMap((line, index) => {
    const first = index === 0 ? mark : ' '.repeat(mark.length);
    return wrap([span(first + line.replaceAll('\t', '    '), style)], { columns, hang: ' '.repeat(mark.length) });
  });
}

const marks: Readonly<Record<string, readonly [mark: string, style: Style]>> = {
  ok: ['✓', theme.good],
  failed: ['✗', theme.bad],
  denied: ['-', theme.warn],
  interrupted: ['!', theme.warn],
  unknown: ['?', theme.warn],
};

function callRows(call: CallBlock, { columns, open, now }: LayoutWish): readonly Line[] {
  const [mark, style] = call.outcome === undefined ? ['…', theme.accent] : (marks[call.outcome] ?? ['·', theme.dim]);
  const after = ` ${aside(call, now)}`;
  const room = Math.max(8, columns - 2 - after.length);
  const label = call.label.length > room ? `${call.label.slice(0, room - 1)}…` : call.label;
  const [row = []] = wrap([span(`${mark} `, style), span(label), span(after, theme.dim)], { columns });
  const diff = call.diff === undefined ? [] : diffRows(call.diff, columns, open);
  if (call.outcome === undefined) return [row, ...running(call, columns, open)];
  if (open) return [row, ...diff, ...output(call, columns)];
  return [row, ...diff, ...(call.outcome === 'failed' ? endOfOutput(call, columns) : [])];
}

/** Rows of a running command's output that are shown before it is opened, and then. */
const runningShown = 5;
const runningOpen = 200;

function running({ written }: CallBlock, columns: number, open: boolean): readonly Line[] {
  if (written === '') return [];
  const most = open ? runningOpen : runningShown;
  const lines = sanitiseOutput(written).trimEnd().split('\n').slice(-most);
  return lines.flatMap((line) => printed(endOf(line, most * columns), columns)).slice(-most);
}

/** Characters of one line that are broken into rows: all of one that never ends would take a tenth of a second each time. */
const mostOfLine = 4_096;

/** What may have no column of its own (joined, combining) is allowed for. */
function endOf(line: string, columns: number): string {
  const end = line.slice(-Math.min(4 * columns, mostOfLine));
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

function printed(line: string, columns: number): readonly Line[] {
  return wrap([span(`    ${line.replaceAll('\t', '    ')}`, theme.dim)], { columns, anywhere: true, hang: '    ' });
}

function aside({ exitCode, durationMs, startedAt, outcome, job }: CallBlock, now: number): string {
  const parts = [
    ...(exitCode === undefined || exitCode === 0 ? [] : [`exit ${exitCode}`]),
    ...(outcome === undefined || outcome === 'ok' || outcome === 'failed' ? [] : [outcome]),
    ...(job === undefined ? [] : [`runs on as ${job}`]),
    seconds(durationMs ?? Math.max(0, now - startedAt)),
  ];
  return `(${parts.join(', ')})`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/** Lines of a change that are shown before it is opened. */
const diffShown = 24;

function diffRows(diff: string, columns: number, open: boolean): readonly Line[] {
  const lines = diff
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const shown = open ? lines : lines.slice(0, diffShown);
  const rows = shown.flatMap((line) =>
    wrap([span(`    ${line.replaceAll('\t', '    ')}`, diffStyle(line))], { columns, anywhere: true, hang: '      ' }),
  );
  const more = lines.length - shown.length;
  return more === 0 ? rows : [...rows, [span(`    … ${more} more lines`, theme.dim)]];
}

function diffStyle(line: string): Style {
  if (line.startsWith('@@')) return theme.hunk;
  if (line.startsWith('+')) return theme.added;
  return line.startsWith('-') ? theme.removed : theme.dim;
}

function output({ shown, diff }: CallBlock, columns: number): readonly Line[] {
  if (shown === '' || diff !== undefined) return [];
  return shown
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) => printed(line, columns));
}

/** Rows of what a failed call printed that are shown before it is opened: the reason stands at the end. */
const failedShown = 4;

function endOfOutput(call: CallBlock, columns: number): readonly Line[] {
  const rows = output({ ...call, shown: call.shown.replace(/\s+$/, '') }, columns);
  const more = rows.length - failedShown;
  // One row is no shorter than to say that there is one.
  if (more <= 1) return rows;
  return [[span(`    … ${more} more rows: Ctrl-O`, theme.dim)], ...rows.slice(-failedShown)];
}
