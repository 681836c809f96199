/**
 * Reads ripgrep's JSON messages. Text that is no UTF-8 comes as base64 and is decoded with replacement characters.
 * Invariant: a line is cut to the part around its first match, with the missing bytes counted.
 */

export interface RipgrepLine {
  readonly line: number;
  readonly text: string;
  /** UTF-16 offset of the first match in `text`; absent on context lines. */
  readonly column?: number;
  readonly cutBefore?: number;
  readonly cutAfter?: number;
}

export type RipgrepMessage =
  | { readonly kind: 'begin'; readonly path: string }
  /** A match that spans lines gives several, the first with its column. */
  | { readonly kind: 'lines'; readonly lines: readonly RipgrepLine[]; readonly isMatch: boolean }
  /** `binaryAt`: about where the file holds a NUL. */
  | { readonly kind: 'end'; readonly path: string; readonly binaryAt?: number }
  | { readonly kind: 'summary'; readonly searched: number };

/** Bytes of a line that are kept before the match, and from it on. */
const windowBefore = 600;
const windowAfter = 1_400;

interface Arbitrary {
  readonly text?: string;
  readonly bytes?: string;
}

interface RawMessage {
  readonly type: string;
  readonly data: {
    readonly path?: Arbitrary | null;
    readonly lines?: Arbitrary;
    readonly line_number?: number | null;
    readonly submatches?: readonly { readonly start: number }[];
    readonly binary_offset?: number | null;
    readonly stats?: { readonly searches: number };
  };
}

export function readMessage(json: Buffer): RipgrepMessage | undefined {
  const { type, data } = JSON.parse(json.toString('utf8')) as RawMessage;
  if (type === 'begin') return { kind: 'begin', path: textOf(data.path ?? {}) };
  if (type === 'end')
    return { kind: 'end', path: textOf(data.path ?? {}), ...binaryFacts(data.binary_offset ?? undefined) };
  if (type === 'summary') return { kind: 'summary', searched: data.stats?.searches ?? 0 };
  if (type === 'match' || type === 'context') return { kind: 'lines', lines: linesOf(data), isMatch: type === 'match' };
  return undefined;
}

function binaryFacts(binaryAt: number | undefined) {
  return binaryAt === undefined ? {} : { binaryAt };
}

/** Whether a message is a match, told from its first bytes. */
export function isMatchMessage(json: Buffer): boolean {
  return json.subarray(0, 15).toString('latin1') === '{"type":"match"';
}

/** A match in a line too long to hold: what was matched, or nothing but where. */
export function readGiant(facts: Buffer): RipgrepMessage {
  const text = facts.toString('utf8');
  const line = Number(/^,"line_number":(\d+)/.exec(text)?.[1] ?? 0);
  const start = Number(/"start":(\d+)/.exec(text)?.[1] ?? 0);
  const matched = parsed(/"match":\{"text":("(?:[^"\\]|\\.)*")\}/.exec(text)?.[1]);
  const shown = {
    line,
    text: `${matched.slice(0, windowAfter)} [in a line of many megabytes]`,
    column: 0,
    cutBefore: start,
  };
  return { kind: 'lines', lines: [shown], isMatch: true };
}

function parsed(json: string | undefined): string {
  return json === undefined ? '' : (JSON.parse(json) as string);
}

function textOf(value: Arbitrary): string {
  return value.text ?? Buffer.from(value.bytes ?? '', 'base64').toString('utf8');
}

function linesOf(data: RawMessage['data']): RipgrepLine[] {
  const bytes =
    data.lines?.text === undefined ? Buffer.from(data.lines?.bytes ?? '', 'base64') : Buffer.from(data.lines.text);
  const first = data.line_number ?? 0;
  const start = data.submatches?.[0]?.start;
  return splitBytes(bytes).map((line, i) => ({ line: first + i, ...windowOf(line, i === 0 ? start : undefined) }));
}

function splitBytes(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let at = 0;
  do {
    const end = bytes.indexOf(0x0a, at);
    const line = bytes.subarray(at, end < 0 ? bytes.length : end);
    lines.push(line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
    at = end < 0 ? bytes.length : end + 1;
  } while (at < bytes.length);
  return lines;
}

/** A line of a file as it is shown. `start`: where its first match begins, in bytes; absent on context lines. */
export function shownLine(bytes: Buffer, line: number, start: number | undefined): RipgrepLine {
  return { line, ...windowOf(bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes, start) };
}

function windowOf(line: Buffer, start: number | undefined): Omit<RipgrepLine, 'line'> {
  const at = Math.min(start ?? 0, line.length);
  if (line.length <= windowBefore + windowAfter) return withColumn(line.toString('utf8'), line, at, start);
  const from = characterStart(line, Math.max(0, at - windowBefore));
  const to = characterStart(line, Math.min(line.length, at + windowAfter));
  const part = line.subarray(from, to);
  return { ...withColumn(part.toString('utf8'), part, at - from, start), cutBefore: from, cutAfter: line.length - to };
}

function withColumn(text: string, bytes: Buffer, at: number, start: number | undefined): Omit<RipgrepLine, 'line'> {
  return start === undefined ? { text } : { text, column: bytes.subarray(0, at).toString('utf8').length };
}

function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80 && at - start < 3) start -= 1;
  return start;
}
