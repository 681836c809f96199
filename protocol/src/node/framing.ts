/**
 * Decides what bytes are a message: `Content-Length` frames of UTF-8 JSON-RPC 2.0, within limits on header, size and
 * nesting. Invariant: however the bytes are split, the same messages come out, or the same refusal at the same message;
 * after a refusal nothing more is read, and no more than one message within the limits is ever held.
 */
import { types } from 'node:util';
import { ZerdError } from '../common/errors.ts';

export interface FrameLimits {
  readonly headerBytes: number;
  readonly messageBytes: number;
  /** How deep arrays and objects may nest. */
  readonly depth: number;
}

/** What the daemon accepts from a client. */
export const requestLimits: FrameLimits = { headerBytes: 1024, messageBytes: 16 * 1024 * 1024, depth: 64 };

/** What a client accepts from its daemon: an event can hold a whole request and is somewhat longer. */
export const answerLimits: FrameLimits = { ...requestLimits, messageBytes: 64 * 1024 * 1024 };

export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly [key: string]: unknown;
}

export interface FrameReader {
  /** Calls `onMessage`, with its length, for every message that is now whole. Throws ZerdError at the first that is refused. */
  push(chunk: Uint8Array): void;
}

export function createFrameReader(
  limits: FrameLimits,
  onMessage: (message: RpcMessage, bytes: number) => void,
): FrameReader {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let bodyLength: number | undefined;
  let refusal: unknown;

  function advance(): boolean {
    return bodyLength === undefined ? readHeader() : readBody(bodyLength);
  }

  function readHeader(): boolean {
    const window = limits.headerBytes + headerEnd.length;
    const text = Buffer.from(join(window)).toString('latin1');
    const end = text.indexOf(headerEnd);
    if (end < 0 && heldBytes < window) return false;
    if (end < 0) throw refused('message_too_large', `a header is over ${limits.headerBytes} bytes`);
    take(end + headerEnd.length);
    bodyLength = contentLength(text.slice(0, end), limits.messageBytes);
    return true;
  }

  function readBody(length: number): boolean {
    if (heldBytes < length) return false;
    bodyLength = undefined;
    onMessage(parseMessage(take(length), limits.depth), length);
    return true;
  }

  /** The first `length` held bytes, or all when there are fewer; they stay held. */
  function join(length: number): Uint8Array {
    const first = held[0];
    if (first && first.length >= length) return first.subarray(0, length);
    return Buffer.concat(held, Math.min(length, heldBytes));
  }

  function take(length: number): Uint8Array {
    const taken = join(length);
    heldBytes -= length;
    let left = length;
    while (held[0] && left >= held[0].length) left -= held.shift()?.length ?? 0;
    if (held[0] && left > 0) held[0] = held[0].subarray(left);
    return taken;
  }

  return {
    push(chunk) {
      if (refusal) throw refusal;
      held.push(chunk);
      heldBytes += chunk.length;
      try {
        while (advance());
      } catch (error) {
        held = [];
        refusal = error;
        throw error;
      }
    },
  };
}

/** The bytes of one frame. */
export function encodeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${headerEnd}`), body]);
}

const headerEnd = '\r\n\r\n';

function contentLength(header: string, most: number): number {
  const fields = header.split('\r\n').map((line) => /^([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line));
  const lengths = fields.filter((field) => field?.[1]?.toLowerCase() === 'content-length');
  const digits = lengths[0]?.[2] ?? '';
  if (fields.includes(null) || lengths.length !== 1 || !/^\d{1,15}$/.test(digits)) {
    throw refused('parse_error', 'a header does not say `Content-Length: <bytes>`');
  }
  if (Number(digits) > most) throw refused('message_too_large', `a message of ${digits} bytes is over ${most}`);
  return Number(digits);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseMessage(body: Uint8Array, depth: number): RpcMessage {
  if (nestsDeeper(body, depth)) throw refused('message_too_large', `a message nests deeper than ${depth}`);
  const value = parseJson(body);
  if (isRpcMessage(value)) return value;
  throw refused(
    'invalid_request',
    'a message is no JSON-RPC 2.0 request, notification or response (batches are not taken)',
  );
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(body));
  } catch (error) {
    if (!types.isNativeError(error)) throw error;
    throw refused('parse_error', 'a message is not UTF-8 JSON');
  }
}

function isRpcMessage(value: unknown): value is RpcMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  if ('id' in value && !isId(value.id)) return false;
  // vscode-jsonrpc would leave the sender of anything else without an answer.
  return 'method' in value
    ? typeof value.method === 'string'
    : 'id' in value && ('result' in value || 'error' in value);
}

function isId(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number' || id === null;
}

/** Counts brackets outside strings before anything is parsed; what is not JSON at all is the parser's matter. */
function nestsDeeper(body: Uint8Array, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inString) {
      if (byte === backslash) i += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function refused(code: 'parse_error' | 'invalid_request' | 'message_too_large', what: string): ZerdError {
  return new ZerdError(code, `The connection was closed because ${what}.`);
}
