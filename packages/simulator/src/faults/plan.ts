/**
 * Turns the frames of an answer into what is done on the socket: bytes, then how it ends. Without faults: the frames as
 * the provider writes them, then a clean end. Pure, so that a table can say what each fault does.
 */
import type { Frame } from '../speak/answer.ts';
import { errorAnthropic, pingAnthropic } from '../speak/speak-anthropic.ts';
import { errorChat } from '../speak/speak-chat.ts';
import { errorEventResponses, failedResponses, frameResponses } from '../speak/speak-responses.ts';
import type { Dialect } from '../wire.ts';
import type { CutFault, Fault, SilenceFault } from './fault.ts';
import { writeFrames } from './write-frames.ts';

export interface Plan {
  /** One write each. */
  readonly writes: readonly Buffer[];
  /** Between two writes; 0: none. */
  readonly everyMs: number;
  /** end: the body ends cleanly; reset: the socket is destroyed; silence: nothing more, the socket stays open. */
  readonly ending: 'end' | 'reset' | 'silence' | { readonly ping: Buffer; readonly everyMs: number };
  /** The terminal event is in it and nothing ends it early. */
  readonly whole: boolean;
}

export function planStream(frames: readonly Frame[], wire: Dialect, faults: readonly Fault[]): Plan {
  const spoiler = faults.find(isSpoiler);
  const spoilt = spoiler === undefined ? { frames, ending: 'end' as const } : spoil(spoiler, frames, wire);
  const bytes = Buffer.from(writeFrames(spoilt.frames, faults), 'utf8');
  const cut = spoiler?.kind === 'cut' ? bytes.subarray(0, cutAt(bytes, spoiler.at)) : bytes;
  const everyMs = faults.find((fault) => fault.kind === 'chunks')?.everyMs ?? 0;
  return { writes: inChunks(cut, faults), everyMs, ending: spoilt.ending, whole: spoiler === undefined };
}

const spoilerKinds: readonly string[] = ['pings-only', 'silence', 'cut', 'eof', 'error-event', 'overloaded-event'];
type Spoiler = Exclude<SilenceFault | CutFault, { kind: 'no-answer' | 'headers-only' | 'reset' }>;

function isSpoiler(fault: Fault): fault is Spoiler {
  return spoilerKinds.includes(fault.kind);
}

interface Spoilt {
  readonly frames: readonly Frame[];
  readonly ending: Plan['ending'];
}

function spoil(fault: Spoiler, frames: readonly Frame[], wire: Dialect): Spoilt {
  switch (fault.kind) {
    case 'pings-only':
      return { frames: [], ending: { ping: Buffer.from(pingText(wire)), everyMs: fault.everyMs ?? 20 } };
    case 'silence':
      return { frames: fault.after === 'first-event' ? frames.slice(0, 1) : upToOutput(frames), ending: 'silence' };
    case 'cut':
      return { frames, ending: fault.how ?? 'reset' };
    case 'eof':
      return { frames: frames.filter((frame) => frame.part !== 'end'), ending: 'end' };
    case 'error-event':
      return withError(frames, wire, fault);
    case 'overloaded-event':
      return withError(frames, wire, { ...fault, ...overloaded(wire), after: 'start' });
  }
}

/** The frames up to and including the first piece of output, so that something has been seen. */
function upToOutput(frames: readonly Frame[]): readonly Frame[] {
  const first = frames.findIndex((frame) => frame.part === 'output' || frame.part === 'toolInput');
  return frames.slice(0, first === -1 ? 1 : first + 1);
}

function defaultError(wire: Dialect): string {
  return wire === 'anthropic' || wire === 'chat' ? 'api_error' : 'server_error';
}

interface ErrorEvent {
  readonly type?: string;
  readonly message?: string;
  readonly after?: 'start' | 'output';
  readonly leaveOpen?: boolean;
  readonly failed?: boolean;
}

function withError(frames: readonly Frame[], wire: Dialect, fault: ErrorEvent): Spoilt {
  const { type = defaultError(wire), message = 'Internal server error', after = 'output', leaveOpen = true } = fault;
  const before = after === 'start' ? frames.slice(0, 1) : upToOutput(frames);
  const error = errorFrame(wire, { type, message, failed: fault.failed === true }, before);
  return { frames: [...before, error], ending: leaveOpen ? 'silence' : 'end' };
}

function errorFrame(
  wire: Dialect,
  { type, message, failed }: { readonly type: string; readonly message: string; readonly failed: boolean },
  before: readonly Frame[],
): Frame {
  if (wire === 'anthropic') return { part: 'end', event: 'error', data: JSON.stringify(errorAnthropic(type, message)) };
  if (wire === 'chat') return { part: 'end', data: JSON.stringify(errorChat(type, message, type)) };
  const data = failed ? failedResponses(before[0]?.data ?? '', type, message) : errorEventResponses(type, message);
  return frameResponses('end', data, before.length);
}

/** On the Responses wire an answer that began fails as a response. */
function overloaded(wire: Dialect): Partial<ErrorEvent> {
  if (wire === 'anthropic' || wire === 'chat') return { type: 'overloaded_error', message: 'Overloaded' };
  const message = 'Our servers are currently overloaded. Please try again later.';
  return { type: 'server_is_overloaded', message, failed: true };
}

/** OpenAI's wires have no ping event: gateways keep such a stream alive with comments. */
function pingText(wire: Dialect): string {
  return wire === 'anthropic' ? writeFrames([pingAnthropic], []) : ': keep-alive\n\n';
}

/** Where the bytes are cut: inside a data line, inside a character, or inside the arguments of a call. */
function cutAt(bytes: Buffer, at: 'line' | 'utf8' | 'tool-json'): number {
  if (at === 'utf8') return bytes.findIndex((byte) => byte >= 0xc0) + 1 || inLine(bytes, bytes.length / 2);
  const marker = at === 'tool-json' ? inArguments(bytes) : -1;
  return marker === -1 ? inLine(bytes, bytes.length / 2) : marker + 1;
}

/** Behind the beginning of the last piece of a call's arguments. */
function inArguments(bytes: Buffer): number {
  const event = bytes.lastIndexOf('event: response.function_call_arguments.delta');
  const piece = event === -1 ? -1 : bytes.indexOf('"delta":"', event);
  return piece === -1 ? lastOf(bytes, ['"partial_json":"', '"arguments":"']) : piece + '"delta":"'.length;
}

function lastOf(bytes: Buffer, markers: readonly string[]): number {
  return Math.max(
    ...markers.map((marker) => (bytes.includes(marker) ? bytes.lastIndexOf(marker) + marker.length : -1)),
  );
}

/** Inside the first data line that begins behind `from`. */
function inLine(bytes: Buffer, from: number): number {
  const line = bytes.indexOf('data: ', Math.floor(from));
  return (line === -1 ? Math.floor(from) : line + 'data: '.length) + 2;
}

function inChunks(bytes: Buffer, faults: readonly Fault[]): readonly Buffer[] {
  const size = faults.find((fault) => fault.kind === 'chunks')?.bytes ?? bytes.length;
  const count = size < 1 ? 0 : Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}
