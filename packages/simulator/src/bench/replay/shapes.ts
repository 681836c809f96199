/** Reads recorded sessions in compact form: what each request asked for and what it brought, in tokens of three bytes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface RecordedCall {
  readonly kind: string;
  /** The file that it concerns, by number. */
  readonly file: number | undefined;
  readonly input: number;
  readonly result: number;
  readonly failed: boolean;
  /** Equal questions have equal keys. */
  readonly key: string;
}

export interface RecordedRequest {
  /** Seconds since the session began. */
  readonly at: number;
  readonly turn: number;
  /** What the user said in front of it. */
  readonly before: number;
  readonly calls: readonly RecordedCall[];
}

export type RecordedSession = readonly RecordedRequest[];

/** Fewer requests say nothing about what grows old. */
const fewestRequests = 10;
const bytesPerToken = 3;

type Row = readonly (string | number | null)[];
interface Shape {
  readonly prompts: readonly (readonly [number, number, number])[];
  readonly req_cols: readonly string[];
  readonly reqs: readonly Row[];
  readonly call_cols: readonly string[];
  readonly calls: readonly Row[];
}

/** The sessions of 10 requests or more in `shapes.jsonl.gz` of a folder. */
export function readSessions(folder: string): readonly RecordedSession[] {
  const text = gunzipSync(readFileSync(join(folder, 'shapes.jsonl.gz'))).toString('utf8');
  const shapes = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as Shape]));
  return shapes.filter((shape) => shape.reqs.length >= fewestRequests).map(sessionOf);
}

function sessionOf(shape: Shape): RecordedSession {
  const column = columnsOf(shape.req_cols);
  const callColumn = columnsOf(shape.call_cols);
  let at = 0;
  return shape.reqs.map((row, index) => {
    at += Number(row[column('gap_s')] ?? 0);
    const said = shape.prompts.reduce((sum, [request, , bytes]) => sum + (request === index ? bytes : 0), 0);
    const calls = shape.calls.filter((call) => call[callColumn('req')] === index);
    return {
      at,
      turn: Number(row[column('turn')]),
      before: said / bytesPerToken,
      calls: calls.map((call) => callOf(call, callColumn)),
    };
  });
}

function callOf(row: Row, column: (name: string) => number): RecordedCall {
  const file = row[column('file')];
  const kind = String(row[column('kind')]);
  return {
    kind,
    file: typeof file === 'number' ? file : undefined,
    input: Number(row[column('arg_bytes')] ?? 0) / bytesPerToken,
    result: Number(row[column('result_bytes')] ?? 0) / bytesPerToken,
    failed: Number(row[column('err')] ?? 0) !== 0,
    key: `${kind} ${row[column('args_sha8')]}`,
  };
}

function columnsOf(names: readonly string[]): (name: string) => number {
  const places = new Map(names.map((name, index) => [name, index]));
  return (name) => {
    const place = places.get(name);
    if (place === undefined) throw new Error(`shapes.jsonl.gz has no column ${name}`);
    return place;
  };
}
