/**
 * Decides what of a read the model has to be sent: nothing but a pointer when it sees all of it, a diff when the file
 * changed since, only the new lines, or everything. Invariant (I5): what is left out is visible at this moment, and the
 * ranges it gives are lines that the transcript then shows.
 */
import type { CallId } from '@zerd/protocol/common/ids';
import type { KnownCopy, KnownRange } from '../../session/known-files.ts';
import { type ChangedBlock, changedBlocks } from '../../text/line-diff.ts';
import { utf8Length } from '../../text/utf8.ts';
import { carry } from './carry.ts';
import { type Admission, leastWorth, type ReadFacts } from './facts.ts';
import { knownCopies, visibleRanges } from './known.ts';
import { callsText, fileChanged, unchangedLines } from './pointer.ts';
import { inStep, knownBy, type LineRange, type Segment, segmentsOf, union } from './ranges.ts';
import { unifiedHunks } from './unified.ts';

export interface ReadPlan {
  /** What may stand in place of the whole; undefined: nothing shorter says it. */
  readonly text: string | undefined;
  /** The calls that `text` leans on. */
  readonly leansOn: readonly CallId[];
  /** What the transcript shows of the file, as it is now, once `text` is there. */
  readonly ranges: readonly KnownRange[];
  /** What it shows of it when `text` is not used. */
  readonly without: readonly KnownRange[];
  /** Every line of it is visible, as it is now. */
  readonly nothingNew: boolean;
}

const nothingKnown: ReadPlan = { text: undefined, leansOn: [], ranges: [], without: [], nothingNew: false };

export function planRead(admission: Admission, read: ReadFacts): ReadPlan {
  const plans = knownCopies(admission.state, read.path).map((copy) => planAgainst(admission, read, copy));
  const useful = plans.find(({ text, nothingNew }) => text !== undefined || nothingNew);
  return useful ?? plans.find(({ without }) => without.length > 0) ?? nothingKnown;
}

function planAgainst(admission: Admission, read: ReadFacts, copy: KnownCopy): ReadPlan {
  const ranges = visibleRanges(copy, admission.visible);
  if (ranges.length === 0) return nothingKnown;
  const plan = copy.hash === read.hash ? planSame(admission, read, ranges) : planChanged(admission, read, copy, ranges);
  return worthIt(admission, plan.text) ? plan : { ...plan, text: undefined, ranges: plan.without };
}

function worthIt({ shown }: Admission, text: string | undefined): boolean {
  const bytes = utf8Length(shown);
  return text !== undefined && bytes >= leastWorth && utf8Length(text) < bytes;
}

export function wantedOf({ first, rows }: ReadFacts): LineRange {
  return { firstLine: first, lastLine: first + rows.length - 1 };
}

function planSame(admission: Admission, read: ReadFacts, ranges: readonly KnownRange[]): ReadPlan {
  const segments = segmentsOf(wantedOf(read), ranges);
  const [only] = segments;
  if (segments.length === 1 && only?.by !== undefined) {
    const text = withFoot(pointerTo(admission, read, only, only.by), read);
    return { text, leansOn: only.by, ranges, nothingNew: true, without: ranges };
  }
  return { ...onlyNew(admission, read, ranges, segments), nothingNew: false, without: ranges };
}

function pointerTo({ visible, archiveId }: Admission, read: ReadFacts, range: LineRange, by: readonly CallId[]) {
  const whole = range.firstLine === 1 && range.lastLine === read.lines;
  const rows = read.rows.slice(range.firstLine - read.first, range.lastLine + 1 - read.first);
  const anchor = whole ? undefined : rows.find((row) => row.trim() !== '');
  const { path } = read;
  return unchangedLines({
    path,
    range,
    calls: callsText(visible, by),
    anchor,
    archive: read.archiveId ?? archiveId ?? '',
  });
}

/** Known lines that would save less are shown with the new ones. */
const leastGap = 160;

function onlyNew(admission: Admission, read: ReadFacts, ranges: readonly KnownRange[], segments: readonly Segment[]) {
  const rowsOf = ({ firstLine, lastLine }: LineRange) =>
    read.rows.slice(firstLine - read.first, lastLine + 1 - read.first);
  const parts = segments.map((segment) => {
    const rows = rowsOf(segment);
    const skipped = segment.by !== undefined && utf8Length(rows.join('\n')) >= leastGap;
    return skipped && segment.by !== undefined
      ? { segment, by: segment.by, rows: [pointerTo(admission, read, segment, segment.by)] }
      : { segment, by: undefined, rows };
  });
  const leansOn = union(parts.map(({ by = [] }) => by));
  const shownHere = parts.filter(({ by }) => by === undefined);
  if (leansOn.length === 0 || shownHere.some(({ rows }) => !allShort(rows, admission.lineCap)))
    return { text: undefined, leansOn: [], ranges };
  const head = admission.head === undefined ? [] : [admission.head];
  const text = withFoot([...head, ...parts.flatMap(({ rows }) => rows)].join('\n'), read);
  const added = shownHere.map(({ segment: { firstLine, lastLine } }) => ({
    firstLine,
    lastLine,
    by: [admission.callId],
  }));
  return { text, leansOn, ranges: [...ranges, ...added] };
}

function planChanged(admission: Admission, read: ReadFacts, copy: KnownCopy, ranges: readonly KnownRange[]): ReadPlan {
  const base = admission.bases.get(copy.hash);
  const blocks = base && read.text && changedBlocks(base, read.text);
  if (base === undefined || read.text === undefined || blocks === undefined) return nothingKnown;
  const without = carry(ranges, blocks, undefined);
  // No block: only line ends or a byte order mark changed, and the head line says so.
  if (blocks.length === 0) return { ...nothingKnown, without };
  const hunks = unifiedHunks(base, read.text, blocks, 3);
  return planDiff(admission, read, inStep(ranges), { blocks, hunks, without }) ?? planSame(admission, read, without);
}

interface Change {
  readonly blocks: readonly ChangedBlock[];
  readonly hunks: readonly string[];
  readonly without: readonly KnownRange[];
}

/** Undefined: it would leave wanted lines unknown, or is not worth it. */
function planDiff(
  admission: Admission,
  read: ReadFacts,
  ranges: readonly KnownRange[],
  { blocks, hunks, without }: Change,
): ReadPlan | undefined {
  const after = carry(ranges, blocks, { by: admission.callId, wholeLines: true });
  const told = ranges.length > 0 && knownBy(wantedOf(read), after) !== undefined;
  if (!told || !allShort(hunks, admission.lineCap)) return undefined;
  const leansOn = union(ranges.map(({ by }) => by));
  const archive = read.archiveId ?? admission.archiveId ?? '';
  const text = [fileChanged(read.path, callsText(admission.visible, leansOn), archive), ...hunks].join('\n');
  return worthIt(admission, text) ? { text, leansOn, ranges: after, nothingNew: false, without } : undefined;
}

function withFoot(text: string, { foot }: ReadFacts): string {
  return foot === undefined ? text : `${text}\n${foot}`;
}

function allShort(lines: readonly string[], lineCap: number): boolean {
  return lines.every((line) => line.length * 3 <= lineCap || utf8Length(line) <= lineCap);
}
