/**
 * Judges a very long line by what stands near the text that every match begins with. Invariant: the answer is that of the
 * whole line, or there is none.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { LineMatcher } from '@zerd/core/search/plan-search';
import type { RegexSource } from '@zerd/core/search/translate-regex';
import { hasDoubtful } from '@zerd/core/search/unicode-tables';

/** Where the line matches; -1: nowhere; undefined: undecided; 'far': that cannot be said from what is near. */
export type NearMatch = (line: Buffer) => number | undefined | 'far';

/** Bytes that are looked at behind a place. */
const windowBytes = 1_024;
/** The longest character: what stands before a place may be one. */
const longestCharacter = 4;
/** More often than this the text is no help. */
const mostPlaces = 500;

/** Undefined: a match may go on to the end of a line. */
export function createNearMatch({ ascii, unicode, tables, reach }: LineMatcher): NearMatch | undefined {
  if (reach === undefined || reach.lead.length < 3) return undefined;
  const { lead, chars, stops } = reach;
  const first = Buffer.from(lead);
  const inAscii = judgeOf(
    ascii ?? unicode,
    stops.map((stop) => stop.ascii),
    chars,
  );
  const inAny = judgeOf(
    unicode,
    stops.map((stop) => stop.unicode),
    chars,
  );

  function judge(line: Buffer, at: number): boolean | undefined | 'far' {
    const from = startOfCharacter(line, Math.max(0, at - longestCharacter));
    const to = startOfCharacter(line, Math.min(line.length, at + windowBytes));
    const near = line.subarray(from, to);
    const isPlain = isAscii(near);
    if (!isPlain && !isUtf8(near)) return undefined;
    const text = near.toString(isPlain ? 'latin1' : 'utf8');
    if (!isPlain && tables && hasDoubtful(text)) return undefined;
    const place = isPlain ? at - from : near.toString('utf8', 0, at - from).length;
    return (isPlain ? inAscii : inAny)(text, place, to === line.length);
  }

  return (line) => {
    let places = 0;
    for (let at = line.indexOf(first); at >= 0; at = line.indexOf(first, at + 1)) {
      places += 1;
      const found = places > mostPlaces ? 'far' : judge(line, at);
      if (found === true) return at;
      if (found !== false) return found;
    }
    return -1;
  };
}

/** Whether a match begins at a place of a text; 'far': that may depend on what is behind the text. */
type Judge = (text: string, at: number, isEnd: boolean) => boolean | 'far';

function judgeOf(match: RegexSource, stops: readonly RegexSource[], chars: number): Judge {
  const here = new RegExp(match.source, `${match.flags}y`);
  const ends = stops.map(({ source, flags }) => new RegExp(source, flags));
  /** Behind what a match could look at; undefined: not in this text. */
  const limitIn = (text: string, at: number): number | undefined => {
    // A character is two units of a string at most.
    let limit = at + 2 * chars;
    for (const end of ends) {
      end.lastIndex = limit;
      const found = end.exec(text);
      if (found === null) return undefined;
      limit = found.index + 2 * chars;
    }
    return limit;
  };
  return (text, at, isEnd) => {
    const limit = isEnd ? 0 : limitIn(text, at);
    if (limit === undefined || limit + 2 > text.length) return 'far';
    here.lastIndex = at;
    return here.test(text);
  };
}

function startOfCharacter(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
