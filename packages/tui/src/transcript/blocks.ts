/**
 * What is shown of a session, as blocks in the order of the log. Invariants: the same events give the same blocks, replayed
 * or live; pieces of an answer give way to the answer itself; everything in a block has passed `sanitise`.
 */

import { callLabel } from '@zerd/protocol/common/call-label';
import { chosenText } from '@zerd/protocol/common/chosen-model';
import { endText, isInterrupted } from '@zerd/protocol/common/end-text';
import type { LoggedEvent, SessionEvent, ToolOutcome } from '@zerd/protocol/common/event';
import { refusedImagesText, withImageLabels } from '@zerd/protocol/common/image-words';
import { sanitise } from '@zerd/protocol/common/sanitise';

export type Block =
  | { readonly kind: 'user'; readonly text: string; readonly waiting?: boolean }
  | { readonly kind: 'answer'; readonly text: string; readonly requestId: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly requestId: string }
  | CallBlock
  | { readonly kind: 'note'; readonly tone: Tone; readonly text: string };

export type Tone = 'dim' | 'good' | 'warn' | 'bad';

export interface CallBlock {
  readonly kind: 'call';
  readonly callId: string;
  readonly label: string;
  /** Undefined: it runs. */
  readonly outcome: ToolOutcome | undefined;
  readonly startedAt: number;
  readonly durationMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly shown: string;
  /** The end of what it has written, while it runs; it may hold sequences of a terminal. */
  readonly written: string;
  readonly diff: string | undefined;
  readonly job: string | undefined;
}

export interface Transcript {
  readonly blocks: readonly Block[];
  /** Counts changes of each block, beside it: what was laid out of an older one is void. */
  readonly versions: readonly number[];
  event(logged: Pick<LoggedEvent, 'at' | 'event'>): void;
  delta(delta: { readonly requestId: string; readonly channel: string; readonly text: string }): void;
  /** What a running command writes. */
  output(output: { readonly callId: string; readonly text: string }): void;
  /** A line of the client's own. */
  note(tone: Tone, text: string): void;
  clear(): void;
}

const unused: Block = { kind: 'note', tone: 'dim', text: 'what had come of this answer is not used' };

/** Characters of a running command's output that are kept: more than a screen shows. */
const mostWritten = 16_384;

export function createTranscript(): Transcript {
  const blocks: Block[] = [];
  const versions: number[] = [];
  const calls = new Map<string, number>();
  /** What was called, for calls that were refused before they began. */
  const wanted = new Map<string, { readonly name: string; readonly inputJson: string }>();
  const beside = new Set<string>();
  const streaming = new Map<string, number>();
  /** The answer that an interrupt cut off. */
  let cut: number | undefined;
  /** The line of the request that failed last. */
  let failed: { readonly at: number; readonly message: string } | undefined;

  function push(block: Block): number {
    versions.push(0);
    return blocks.push(block) - 1;
  }

  function change(at: number | undefined, block: (before: Block) => Block): void {
    const before = at === undefined ? undefined : blocks[at];
    if (at === undefined || before === undefined) return;
    blocks[at] = block(before);
    versions[at] = (versions[at] ?? 0) + 1;
  }

  const note = (tone: Tone, text: string) => void push({ kind: 'note', tone, text: sanitise(text) });

  function answered(event: Extract<SessionEvent, { kind: 'assistant.finished' }>): void {
    const { requestId, content } = event;
    if (beside.has(requestId)) return;
    for (const block of content) if (block.kind === 'toolCall') wanted.set(block.callId, block);
    const text = sanitise(content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join(''));
    const at = streaming.get(`${requestId} text`);
    if (at !== undefined) change(at, () => ({ kind: 'answer', text, requestId }));
    else if (text.trim() !== '') push({ kind: 'answer', text, requestId });
    streaming.delete(`${requestId} text`);
    streaming.delete(`${requestId} reasoning`);
  }

  /** What had come of an answer that failed is not part of the conversation; whoever interrupted it goes on reading. */
  function dropped({ requestId, failure, partial = '' }: Extract<SessionEvent, { kind: 'request.failed' }>): void {
    if (beside.has(requestId)) return;
    const at = streaming.get(`${requestId} text`);
    const text = sanitise(partial);
    change(streaming.get(`${requestId} reasoning`), (before) => ({ ...before, text: '' }) as Block);
    for (const channel of ['text', 'reasoning']) streaming.delete(`${requestId} ${channel}`);
    if (!isInterrupted(failure)) change(at, () => unused);
    else if (at === undefined && text.trim() === '') return;
    else {
      cut = at ?? push({ kind: 'answer', text, requestId });
      change(at, () => ({ kind: 'answer', text, requestId }));
    }
  }

  function over({ outcome, failure }: Extract<SessionEvent, { kind: 'turn.finished' }>): void {
    const more = cut === undefined ? '' : '; the model will not see the answer that it had begun';
    const text = sanitise(`${endText(outcome, failure)}${more}`);
    if (outcome !== 'done') {
      // What a request failed of, and the turn with it, is one line.
      if (failed?.at === blocks.length - 1 && failure?.message.includes(failed.message))
        change(failed.at, () => ({ kind: 'note', tone: 'bad', text }));
      else note('bad', text);
    }
    cut = undefined;
    failed = undefined;
  }

  function began(event: Extract<SessionEvent, { kind: 'toolCall.started' }>, at: number): void {
    const { callId, name, inputJson } = event;
    const block: CallBlock = {
      kind: 'call',
      callId,
      label: sanitise(callLabel(name, inputJson)).replaceAll('\n', ' '),
      outcome: undefined,
      startedAt: at,
      durationMs: undefined,
      exitCode: undefined,
      shown: '',
      written: '',
      diff: undefined,
      job: undefined,
    };
    calls.set(callId, push(block));
  }

  function ended(event: Extract<SessionEvent, { kind: 'toolCall.finished' }>, at: number): void {
    const { callId, outcome, shown, images, diff, durationMs, exitCode, jobId } = event;
    const { name = 'call', inputJson = '{}' } = wanted.get(callId) ?? {};
    if (!calls.has(callId)) began({ ...event, kind: 'toolCall.started', name, inputJson }, at);
    wanted.delete(callId);
    change(calls.get(callId), (before) => ({
      ...(before as CallBlock),
      outcome,
      durationMs,
      exitCode,
      shown: sanitise(images === undefined ? shown : withImageLabels(shown, images)),
      written: '',
      diff: diff === undefined ? undefined : sanitise(diff),
      job: jobId,
    }));
  }

  return {
    blocks,
    versions,
    event({ event, at }) {
      if (event.kind === 'message.submitted')
        push({ kind: 'user', text: sanitise(withImageLabels(event.text, event.images)) });
      else if (event.kind === 'request.started' && event.purpose !== undefined) beside.add(event.requestId);
      else if (event.kind === 'assistant.finished') answered(event);
      else if (event.kind === 'toolCall.started') began(event, at);
      else if (event.kind === 'toolCall.finished') ended(event, at);
      else if (event.kind === 'turn.finished') over(event);
      else {
        if (event.kind === 'request.failed') dropped(event);
        // It is asked once more.
        if (event.kind === 'turn.resumed') change(cut, () => unused);
        const [tone, text] = noteOf(event, at) ?? [];
        if (tone === undefined || text === undefined) return;
        note(tone, text);
        if (event.kind === 'request.failed') failed = { at: blocks.length - 1, message: event.failure.message };
      }
    },
    delta({ requestId, channel, text }) {
      if (beside.has(requestId) || (channel !== 'text' && channel !== 'reasoning')) return;
      const key = `${requestId} ${channel}`;
      const at = streaming.get(key);
      const more = sanitise(text);
      if (at !== undefined) return change(at, (before) => ({ ...before, text: textOf(before) + more }) as Block);
      streaming.set(key, push({ kind: channel === 'text' ? 'answer' : 'thinking', text: more, requestId }));
    },
    output({ callId, text }) {
      change(calls.get(callId), (before) => {
        const call = before as CallBlock;
        return call.outcome === undefined ? { ...call, written: (call.written + text).slice(-mostWritten) } : call;
      });
    },
    note,
    clear() {
      blocks.length = 0;
      versions.length = 0;
      for (const map of [calls, streaming, wanted]) map.clear();
      beside.clear();
      cut = undefined;
      failed = undefined;
    },
  };
}

function textOf(block: Block): string {
  return 'text' in block ? block.text : '';
}

/** What is worth a line of its own. */
function noteOf(event: SessionEvent, at: number): readonly [Tone, string] | undefined {
  switch (event.kind) {
    case 'request.failed':
      return isInterrupted(event.failure) ? undefined : ['warn', failureText(event, at)];
    case 'mode.changed':
      return ['dim', `mode is now ${event.mode}`];
    case 'model.chosen':
      return [event.reason === undefined ? 'dim' : 'warn', chosenText(event)];
    case 'model.changed':
      return ['dim', `model is now ${event.model}`];
    case 'context.trimmed':
      return [
        'dim',
        `${event.calls.length} old results left the prompt, about ${event.predicted.cut} tokens: ${event.reason}`,
      ];
    case 'context.compacted':
      return ['dim', `the conversation was summed up: ${event.reason}`];
    case 'images.refused':
      return ['warn', refusedImagesText(event.images.length, event.reason)];
    case 'approval.answered':
      return [event.decision === 'granted' ? 'dim' : 'warn', answeredText(event)];
    case 'question.asked':
      return ['warn', `? ${event.text}`];
    case 'question.answered':
      return ['dim', event.answer === undefined ? reasoned('no answer', event.reason) : `answered: ${event.answer}`];
    case 'subagent.started':
      return ['dim', `sub-agent: ${event.title} (${event.sessionId})`];
    case 'job.started':
      return ['dim', `${event.jobId} goes on in the background: ${firstLine(event.command)}`];
    case 'job.finished':
      return [event.exitCode === 0 ? 'dim' : 'warn', `${event.jobId} is over: ${jobEnd(event)}`];
    case 'cache.warned':
    case 'budget.warned':
      return ['warn', event.text];
    case 'budget.raised':
      return ['dim', `the budget of the ${event.scope} was raised`];
    case 'prompt.held':
      return ['warn', `a waiting prompt cannot begin: ${event.needs.message}`];
    case 'wait.expired':
      return ['warn', `waited ${Math.round(event.afterMs / 1000)} s for ${event.for}: ${event.reason}`];
    case 'turn.resumed':
      return ['dim', `the turn goes on: ${event.reason}`];
    default:
      return undefined;
  }
}

function failureText({ failure, retryAt }: Extract<SessionEvent, { kind: 'request.failed' }>, at: number): string {
  const again = retryAt === undefined ? '' : `; trying again in ${Math.max(0, Math.round((retryAt - at) / 1000))} s`;
  return `${failure.code}: ${failure.message}${again}`;
}

function answeredText({ decision, reason, always }: Extract<SessionEvent, { kind: 'approval.answered' }>): string {
  return always === undefined ? reasoned(decision, reason) : `${decision} for good: ${always.join(', ')}`;
}

function reasoned(what: string, reason: string | undefined): string {
  return reason === undefined ? what : `${what}: ${reason}`;
}

function jobEnd({ outcome, exitCode, reason }: Extract<SessionEvent, { kind: 'job.finished' }>): string {
  return reasoned(exitCode === undefined ? outcome : `exit ${exitCode}`, reason);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
