/**
 * How far a match goes from where its first text stands: so much of a very long line is enough to judge it by. Invariant:
 * whether there is a match from that place depends on no character behind the reach.
 */
import { partsOf, type Regex } from './regex-ast.ts';
import { type RegexSource, sourcesOfClass } from './translate-regex.ts';

export interface Reach {
  /** The text that every match begins with. */
  readonly lead: string;
  /** Characters of a match at most, without those of its repetitions without end. */
  readonly chars: number;
  /** For each repetition without end, in their order: a character that ends it. */
  readonly stops: readonly Stop[];
}

export interface Stop {
  readonly ascii: RegexSource;
  readonly unicode: RegexSource;
}

const mostChars = 128;

/** `endless`: which repetitions count as without end. Undefined: a match may go on to the end of the line. */
export function reachOf(regex: Regex, lead: string, endless: (part: Regex) => boolean): Reach | undefined {
  const chars = widthOf(regex, endless);
  if (chars > mostChars) return undefined;
  const stops: Stop[] = [];
  for (const part of partsOf(regex)) {
    if (part.kind !== 'repeat' || !endless(part)) continue;
    const stop = stopOf(part.part);
    if (stop === undefined) return undefined;
    stops.push(stop);
  }
  return { lead, chars, stops };
}

function widthOf(regex: Regex, endless: (part: Regex) => boolean): number {
  switch (regex.kind) {
    case 'char':
    case 'class':
    case 'any':
      return 1;
    case 'group':
      return widthOf(regex.part, endless);
    case 'concat':
      return regex.parts.reduce((sum, part) => sum + widthOf(part, endless), 0);
    case 'either':
      return Math.max(...regex.parts.map((part) => widthOf(part, endless)));
    case 'repeat':
      return endless(regex) ? 0 : regex.max * widthOf(regex.part, endless);
    case 'opaque':
      return Infinity;
    default:
      return 0;
  }
}

/** Undefined: whatever stands in a line is repeated, or more than one character at a time. */
function stopOf(part: Regex): Stop | undefined {
  if (part.kind === 'group') return stopOf(part.part);
  if (part.kind === 'class') return sourcesOfClass(part.items, !part.negated);
  if (part.kind !== 'char') return undefined;
  const code = part.char.codePointAt(0) ?? 0;
  return sourcesOfClass([{ kind: 'range', from: code, to: code }], true);
}
