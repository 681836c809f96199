/**
 * Reads a recorded session in the neutral form: prompts, files, requests and calls, texts only as sizes and hashes. What
 * a recorder left out is absent here, never guessed; fields that are of no use for a replay are not looked at.
 */
import { readFileSync } from 'node:fs';
import { isObject, type Json, objectsOf, stringOf } from '../../wire.ts';

export interface RecordedSession {
  readonly id: string;
  readonly prompts: readonly RecordedPrompt[];
  /** As they were at the beginning, by their recorded path. */
  readonly files: ReadonlyMap<string, RecordedFile>;
  readonly requests: readonly RecordedRequest[];
  readonly calls: readonly RecordedCall[];
}

export interface RecordedPrompt {
  /** It came before the call and the request of this index. */
  readonly beforeCall: number;
  readonly beforeRequest: number | undefined;
  readonly bytes: number;
  readonly idleMs: number;
}

/** Without a size: it was not there at the beginning, or nobody knows. */
export interface RecordedFile {
  readonly lines: number | undefined;
  readonly bytes: number | undefined;
  /** How many of its lines end in CRLF. */
  readonly crlf: number;
}

export interface RecordedRequest {
  readonly request: number;
  readonly gapMs: number;
}

export interface RecordedCall {
  readonly request: number | undefined;
  readonly tool: string;
  readonly args: Json;
  readonly resultBytes: number;
  readonly resultLines: number;
  /** Equal results have equal ones. */
  readonly resultHash: string;
  readonly gapMs: number;
  readonly isError: boolean;
}

export function readRecorded(file: string): RecordedSession {
  return parseRecorded(readFileSync(file, 'utf8'), file);
}

export function parseRecorded(text: string, name: string): RecordedSession {
  const session: unknown = JSON.parse(text);
  if (!isObject(session) || !Array.isArray(session.calls)) {
    throw new Error(`${name}: a recorded session is {"id": "...", "calls": [...]}`);
  }
  return {
    id: stringOf(session.id) || 'unnamed',
    prompts: objectsOf(session.prompts).map(promptOf),
    files: new Map(
      Object.entries(isObject(session.files) ? session.files : {}).map(([path, file]) => [path, fileOf(file)]),
    ),
    requests: objectsOf(session.requests).map((one, i) => ({
      request: numberOf(one.req) ?? i,
      gapMs: msOf(one.gap_s),
    })),
    calls: objectsOf(session.calls).map(callOf),
  };
}

/** Finite numbers only. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function promptOf(prompt: Json): RecordedPrompt {
  return {
    beforeCall: numberOf(prompt.before_call) ?? 0,
    beforeRequest: numberOf(prompt.before_req),
    bytes: numberOf(prompt.bytes) ?? 0,
    idleMs: msOf(prompt.idle_s),
  };
}

function fileOf(file: unknown): RecordedFile {
  const facts: Json = isObject(file) ? file : {};
  return { lines: numberOf(facts.lines), bytes: numberOf(facts.bytes), crlf: numberOf(facts.crlf) ?? 0 };
}

function callOf(call: Json): RecordedCall {
  return {
    request: numberOf(call.req),
    tool: stringOf(call.tool),
    args: isObject(call.args) ? call.args : {},
    resultBytes: Math.max(0, numberOf(call.result_bytes) ?? 0),
    resultLines: Math.max(0, numberOf(call.result_lines) ?? 0),
    resultHash: stringOf(call.result_sha),
    gapMs: msOf(call.gap_s),
    isError: call.error !== undefined && call.error !== false && call.error !== null,
  };
}

function msOf(seconds: unknown): number {
  return Math.max(0, Math.round((numberOf(seconds) ?? 0) * 1000));
}
