/** Says how far the work of a backtracking matcher can go, by the repetitions in a regular expression. */
import { type Reach, reachOf } from './reach.ts';
import { partsOf, type Regex } from './regex-ast.ts';

export interface MatchEffort {
  /** Each place of a text takes a few steps at most: it may be matched where nothing could stop it. */
  readonly quick: boolean;
  /** On a long line it may need the square of its length, or more. */
  readonly backtracks: boolean;
  /**
   * The text that every match begins with, and behind it one repetition without end at most: the work is at most how
   * often it stands in a line, times the length of the line.
   */
  readonly lead?: string;
  /** Absent: a match begins with no text of its own, or may go on to the end of the line. */
  readonly reach?: Reach;
}

/** Ways to go on, over all choices. */
const fewWays = 64;
const manyTimes = 64;
/** Over what is near, two of them take the square of its length. */
const mostEndless = 2;

export function matchEffortOf(regex: Regex): MatchEffort {
  const parts = [...partsOf(regex)];
  const endless = parts.filter(isEndless).length;
  const isTame = parts.reduce((ways, part) => ways * waysOf(part), 1) <= fewWays;
  const effort = { quick: isTame && endless === 0, backtracks: endless > 0 };
  const lead = isTame && endless <= mostEndless ? leadOf(regex) : '';
  if (lead === '') return effort;
  const reach = reachOf(regex, lead, isEndless);
  return { ...effort, ...(endless <= 1 ? { lead } : {}), ...(reach === undefined ? {} : { reach }) };
}

function isEndless(part: Regex): boolean {
  return part.kind === 'repeat' && part.max > manyTimes;
}

/** One for a repetition without end: it is counted by itself. */
function waysOf(part: Regex): number {
  if (part.kind === 'either') return part.parts.length;
  return part.kind === 'repeat' && part.max <= manyTimes ? part.max - part.min + 1 : 1;
}

function leadOf(regex: Regex): string {
  if (regex.kind === 'group') return leadOf(regex.part);
  if (regex.kind !== 'concat') return regex.kind === 'char' && !regex.fold ? regex.char : '';
  // The edge of a word has no characters.
  const begin = regex.parts.findIndex(({ kind }) => kind !== 'wordEdge' && kind !== 'noWordEdge');
  const parts = regex.parts.slice(Math.max(0, begin));
  const end = parts.findIndex((part) => part.kind !== 'char' || part.fold);
  return parts
    .slice(0, end < 0 ? undefined : end)
    .map(leadOf)
    .join('');
}
