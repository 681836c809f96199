/**
 * Tells from the log what a compaction has to remember: what the user said, and every call with its arguments, its
 * result and how it ended. Invariant: what the log says of a session is told in its order, and answers that are
 * summaries are no part of it.
 */
import type { LoggedEvent, SeenFile, SessionEvent, ShownLines, ToolOutcome } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import { imageWords } from '@zerd/protocol/common/image-words';
import type { Mode } from '@zerd/protocol/common/mode';
import { splitRules } from '../../rules/block.ts';
import { shortId } from '../cleared.ts';
import { withNames } from '../name-images.ts';
import { headAndTail } from './clip.ts';

export interface ToldMessage {
  readonly kind: 'message';
  readonly seq: number;
  readonly text: string;
  readonly facts: string | undefined;
}

export interface ToldText {
  readonly kind: 'text';
  readonly seq: number;
  readonly text: string;
}

export interface ToldCall {
  readonly kind: 'call';
  /** Of its result. */
  readonly seq: number;
  readonly callId: CallId;
  /** The how many-th call of the session, from 1. */
  readonly number: number;
  readonly name: string;
  readonly inputJson: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly outcome: ToolOutcome;
  readonly shown: string;
  readonly exitCode: number | undefined;
  readonly archiveId: ArchiveId | undefined;
  readonly files: readonly SeenFile[];
  readonly reads: readonly ShownLines[];
}

export interface Story {
  readonly parts: readonly (ToldMessage | ToldText | ToldCall)[];
  readonly messages: readonly ToldMessage[];
  readonly calls: readonly ToldCall[];
  readonly mode: Mode;
  /** Where the working folder is, once it was moved. */
  readonly folder: string | undefined;
}

/** The events after `after` up to and including `through`; calls are numbered from the beginning of the session. */
export function tellStory(events: readonly LoggedEvent[], through: number, after = 0): Story {
  const parts: Story['parts'][number][] = [];
  const calls = new Map<CallId, Pick<ToldCall, 'number' | 'name' | 'inputJson'>>();
  const beside = new Set<RequestId>();
  let mode: Mode = 'read-only';
  let folder: string | undefined;
  for (const { seq, event } of events) {
    if (seq > through) break;
    if (event.kind === 'session.created' || event.kind === 'mode.changed') mode = event.mode;
    if (event.kind === 'reminder.added' && event.about.kind === 'folderMoved') folder = event.about.folder;
    if (event.kind === 'request.started' && event.purpose !== undefined) beside.add(event.requestId);
    if (event.kind === 'assistant.finished' && beside.has(event.requestId)) continue;
    const told = [...toldOf(event, seq, calls)];
    if (seq > after) parts.push(...told);
  }
  return {
    parts,
    mode,
    folder,
    messages: parts.flatMap((part) => (part.kind === 'message' ? [part] : [])),
    calls: parts.flatMap((part) => (part.kind === 'call' ? [part] : [])),
  };
}

function* toldOf(
  event: SessionEvent,
  seq: number,
  calls: Map<CallId, Pick<ToldCall, 'number' | 'name' | 'inputJson'>>,
): Iterable<Story['parts'][number]> {
  if (event.kind === 'message.submitted')
    yield { kind: 'message', seq, text: withNames(event.text, leftImages(event)), facts: event.facts };
  if (event.kind === 'assistant.finished') {
    const said = event.content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
    if (said.trim() !== '') yield { kind: 'text', seq, text: said };
    for (const block of event.content) {
      if (block.kind !== 'toolCall' || calls.has(block.callId)) continue;
      calls.set(block.callId, { number: calls.size + 1, name: block.name, inputJson: block.inputJson });
    }
  }
  if (event.kind !== 'toolCall.finished') return;
  const call = calls.get(event.callId);
  if (call === undefined) return;
  const { callId, outcome, exitCode, archiveId, files = [], reads = [] } = event;
  const shown = splitRules(event.shown, event.rules).body;
  const input = fieldsOf(call.inputJson);
  yield { kind: 'call', seq, callId, ...call, input, outcome, shown, exitCode, archiveId, files, reads };
}

/** A summary names them: their bytes are kept. */
function leftImages({ images = [] }: Extract<SessionEvent, { kind: 'message.submitted' }>): readonly string[] {
  return images.map((image) => `[image ${imageWords(image)}; recall ${shortId(image.archiveId)} shows it again]`);
}

function fieldsOf(inputJson: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(inputJson);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    // Arguments that are no JSON never ran.
    return {};
  }
}

export function textField(call: ToldCall, field: string): string | undefined {
  const value = call.input[field];
  return typeof value === 'string' ? value : undefined;
}

/** `call 7, read {"path":"a.ts"} (ok)` */
export function labelOf({ number, name, inputJson, outcome }: ToldCall): string {
  return `call ${number}, ${name} ${headAndTail(inputJson, 200)} (${outcome})`;
}
