/**
 * Tells an editor what happened in a session, event by event. Pure: the same events give the same updates, live or when a
 * session is loaded. Invariant: every tool call that is begun is ended, and text that was streamed is not said twice.
 */
import { isAbsolute, join } from 'node:path';
import type {
  PlanEntry,
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from '@agentclientprotocol/sdk';
import { callLabel } from '@zerd/protocol/common/call-label';
import { chosenText } from '@zerd/protocol/common/chosen-model';
import { isInterrupted } from '@zerd/protocol/common/end-text';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { refusedImagesText, withImageLabels } from '@zerd/protocol/common/image-words';
import { sanitise } from '@zerd/protocol/common/sanitise';
import { beginCommand, type Call, endTerminal, tellWritten, type Written, withTerminal } from './terminals.ts';

export interface Telling {
  /** What was streamed of the answer that is being written, by request and channel. */
  readonly streamed: ReadonlyMap<string, string>;
  /** What the model called and is not over, by call. */
  readonly called: ReadonlyMap<string, Called>;
  /** The arguments of calls that run, by call. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Commands that run, by call. */
  readonly commands: ReadonlyMap<string, Written>;
  /** The editor shows terminals of the agent. */
  readonly terminals: boolean;
  /** Requests beside the conversation. */
  readonly beside: ReadonlySet<string>;
  /** Of the whole session, in pico-dollars; null: something of it has no price. */
  readonly costPico: number | null;
  readonly window: number | undefined;
}

export function beginTelling(window: number | undefined, terminals = false): Telling {
  const none = { streamed: new Map(), called: new Map(), inputs: new Map(), commands: new Map() };
  const nothing = { ...none, beside: new Set<string>() };
  return { ...nothing, costPico: 0, window, terminals };
}

interface Told {
  readonly next: Telling;
  readonly updates: readonly SessionUpdate[];
}

export interface Delta {
  readonly requestId: string;
  readonly channel: 'text' | 'reasoning' | 'toolInput';
  readonly text: string;
}

export function tellDelta(telling: Telling, { requestId, channel, text }: Delta): Told {
  if (channel === 'toolInput' || telling.beside.has(requestId)) return { next: telling, updates: [] };
  const key = `${requestId} ${channel}`;
  const streamed = new Map([...telling.streamed, [key, (telling.streamed.get(key) ?? '') + text] as const]);
  const kind = channel === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
  return { next: { ...telling, streamed }, updates: [{ sessionUpdate: kind, content: textContent(text) }] };
}

export interface ToldWhere {
  /** The workspace. */
  readonly root: string;
  /** What the user says in this very editor is known to it already. */
  readonly live: boolean;
  /** What the editor may choose of the session, with this model chosen. */
  readonly optionsWith: (model: string) => SessionConfigOption[];
}

export function tellEvent(telling: Telling, event: SessionEvent, { root, live, optionsWith }: ToldWhere): Told {
  const same = (...updates: readonly SessionUpdate[]): Told => ({ next: telling, updates });
  switch (event.kind) {
    case 'message.submitted':
      return live
        ? same()
        : same({
            sessionUpdate: 'user_message_chunk',
            content: textContent(withImageLabels(event.text, event.images)),
          });
    case 'request.started': {
      const beside = event.purpose === undefined ? telling.beside : new Set([...telling.beside, event.requestId]);
      return { next: { ...telling, beside }, updates: [] };
    }
    case 'request.failed': {
      const { usage, costPico = null, failure } = event;
      const failed = notice('warning', 'A request failed', `${failure.code}: ${failure.message}`);
      const { next, updates } = usage === undefined ? same() : paidFor(telling, { usage, costPico });
      return { next, updates: [...(isInterrupted(failure) ? [] : [failed]), ...updates] };
    }
    case 'assistant.finished':
      return telling.beside.has(event.requestId) ? paidFor(telling, event) : answer(telling, event);
    case 'toolCall.started': {
      const inputs = new Map([...telling.inputs, [event.callId, event.inputJson] as const]);
      const call = begun(event, root);
      if (event.name !== 'shell') return { next: { ...telling, inputs }, updates: [call] };
      const commands = new Map([...telling.commands, [event.callId, beginCommand(telling.terminals)] as const]);
      return { next: { ...telling, inputs, commands }, updates: [telling.terminals ? withTerminal(call, root) : call] };
    }
    case 'toolCall.finished':
      return finished(telling, event, root);
    case 'todo.changed':
      return same({ sessionUpdate: 'plan', entries: [...planOf(event.list)] });
    case 'mode.changed':
      return same({ sessionUpdate: 'current_mode_update', currentModeId: event.mode });
    case 'model.chosen':
      return same(chosen(optionsWith, event.model), notice('info', 'Another model', chosenText(event)));
    case 'model.changed':
      return same(chosen(optionsWith, event.model));
    case 'context.compacted':
      return same(notice('info', 'The conversation was summed up', event.reason));
    case 'images.refused':
      return same(notice('warning', 'An image was refused', refusedImagesText(event.images.length, event.reason)));
    case 'job.started':
      return same(notice('info', `Goes on in the background as ${event.jobId}`, event.command));
    case 'job.finished':
      return same(notice('info', `${event.jobId} is over`, event.reason ?? event.outcome));
    case 'subagent.started':
      return same(notice('info', 'A sub-agent began', event.title));
    case 'turn.finished':
      // The answer to the prompt has no words for it.
      return event.outcome === 'limit' && event.failure !== undefined
        ? same(notice('warning', 'A limit was reached', event.failure.message))
        : same();
    case 'budget.warned':
      return same(notice('warning', 'A limit in money cannot hold', event.text));
    case 'cache.warned':
      return same(notice('warning', 'Nothing is cached', event.text));
    case 'prompt.held':
      return same(notice('warning', 'A waiting prompt cannot begin', event.needs.message));
    case 'wait.expired':
      return same(notice('warning', `Waited too long for ${event.for}`, event.reason));
    default:
      return same();
  }
}

function textContent(text: string) {
  return { type: 'text' as const, text };
}

function notice(severity: 'info' | 'warning' | 'error', title: string, description: string): SessionUpdate {
  return { sessionUpdate: 'notice', severity, title: sanitise(title), description: sanitise(description) };
}

function chosen(optionsWith: ToldWhere['optionsWith'], model: string): SessionUpdate {
  return { sessionUpdate: 'config_option_update', configOptions: optionsWith(model) };
}

type Answered = Extract<SessionEvent, { kind: 'assistant.finished' }>;

/** What was streamed is a beginning of what was said, or pieces of it were dropped: then it is said whole. */
function answer(telling: Telling, event: Answered): Told {
  const { next, updates } = paidFor(telling, event);
  const said = event.content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('');
  const streamed = telling.streamed.get(`${event.requestId} text`) ?? '';
  const rest = said.startsWith(streamed) ? said.slice(streamed.length) : `\n${said}`;
  const kept = [...telling.streamed].filter(([key]) => !key.startsWith(`${event.requestId} `));
  const calls = event.content.flatMap((block) => (block.kind === 'toolCall' ? [[block.callId, block] as const] : []));
  const called = new Map([...telling.called, ...calls]);
  const text: readonly SessionUpdate[] =
    rest === '' ? [] : [{ sessionUpdate: 'agent_message_chunk', content: textContent(rest) }];
  return { next: { ...next, called, streamed: new Map(kept) }, updates: [...text, ...updates] };
}

/** An attempt that brought no answer is paid for too. */
function paidFor(telling: Telling, { usage, costPico }: Pick<Answered, 'costPico' | 'usage'>): Told {
  const sum = telling.costPico === null || costPico === null ? null : telling.costPico + costPico;
  const used = usage.uncached + usage.cacheRead + usage.cacheWrite + usage.output;
  const cost = sum === null ? {} : { cost: { amount: sum / 1e12, currency: 'USD' } };
  const next = { ...telling, costPico: sum };
  if (!usage.reported || telling.window === undefined) return { next, updates: [] };
  return { next, updates: [{ sessionUpdate: 'usage_update', used, size: telling.window, ...cost }] };
}

/** What a running command writes. */
export function tellOutput(
  telling: Telling,
  { callId, text }: { readonly callId: string; readonly text: string },
): Told {
  const written = telling.commands.get(callId);
  if (written === undefined) return { next: telling, updates: [] };
  const { next, update } = tellWritten(written, callId, text);
  const commands = new Map([...telling.commands, [callId, next] as const]);
  return { next: { ...telling, commands }, updates: update === undefined ? [] : [update] };
}

type Called = Pick<Extract<SessionEvent, { kind: 'toolCall.started' }>, 'callId' | 'name' | 'inputJson'>;

function begun({ callId, name, inputJson }: Called, root: string): Call {
  const input = parsed(inputJson);
  return {
    sessionUpdate: 'tool_call',
    toolCallId: callId,
    title: sanitise(callLabel(name, inputJson)),
    name,
    kind: kinds[name] ?? 'other',
    status: 'in_progress',
    rawInput: input,
    locations: [...locationsOf(input, root)],
  };
}

const kinds: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  recall: 'read',
  skill: 'read',
  write: 'edit',
  edit: 'edit',
  search: 'search',
  find: 'search',
  shell: 'execute',
  jobs: 'execute',
  task: 'think',
  notes: 'think',
  todo: 'think',
};

/** Of a call that waits for permission: it has not begun. */
export function pendingCall(callId: string, name: string, asks: string) {
  return {
    toolCallId: callId,
    title: sanitise(asks.split('\n')[0] ?? name),
    kind: kinds[name] ?? ('other' as const),
    status: 'pending' as const,
    content: [{ type: 'content' as const, content: textContent(sanitise(asks)) }],
  };
}

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

function finished(telling: Telling, event: Finished, root: string): Told {
  const inputs = new Map([...telling.inputs].filter(([callId]) => callId !== event.callId));
  const input = parsed(telling.inputs.get(event.callId) ?? '{}');
  const update: SessionUpdate = {
    sessionUpdate: 'tool_call_update',
    toolCallId: event.callId,
    status: event.outcome === 'ok' ? 'completed' : 'failed',
    content: [...contentOf(event, input, root)],
    locations: [
      ...locationsOf(input, root),
      ...(event.files ?? []).map(({ path }) => ({ path: absolute(path, root) })),
    ],
  };
  const before = telling.inputs.has(event.callId) ? [] : [neverBegun(event, telling.called.get(event.callId), root)];
  const called = new Map([...telling.called].filter(([callId]) => callId !== event.callId));
  const commands = new Map([...telling.commands].filter(([callId]) => callId !== event.callId));
  const next = { ...telling, called, inputs, commands };
  const written = telling.commands.get(event.callId);
  if (written?.terminal !== true) return { next, updates: [...before, update] };
  const { before: left, end } = endTerminal(written, event.callId, { shown: event.shown, exitCode: event.exitCode });
  return { next, updates: [...left, { ...update, ...end }] };
}

/** A call that was refused: the editor hears of it here for the first time. */
function neverBegun({ callId, outcome }: Finished, called: Called | undefined, root: string): SessionUpdate {
  const known = called === undefined ? { title: outcome } : begun(called, root);
  return { sessionUpdate: 'tool_call', toolCallId: callId, ...known, status: 'pending' };
}

function contentOf({ outcome, shown, diff }: Finished, input: Fields, root: string): readonly ToolCallContent[] {
  const edit = outcome === 'ok' && diff !== undefined ? diffOf(input, root) : undefined;
  return edit === undefined ? [{ type: 'content', content: textContent(sanitise(shown)) }] : [edit];
}

/** What the model replaced by what: enough for an editor to show the change in its place. */
function diffOf(input: Fields, root: string): ToolCallContent | undefined {
  const path = textOf(input, 'path');
  const newText = textOf(input, 'new') ?? textOf(input, 'content');
  if (path === undefined || newText === undefined) return undefined;
  const oldText = textOf(input, 'old');
  return { type: 'diff', path: absolute(path, root), newText, ...(oldText === undefined ? {} : { oldText }) };
}

function locationsOf(input: Fields, root: string): readonly ToolCallLocation[] {
  const path = textOf(input, 'path');
  if (path === undefined) return [];
  const line = typeof input.offset === 'number' ? { line: input.offset } : {};
  return [{ path: absolute(path, root), ...line }];
}

function absolute(path: string, root: string): string {
  return isAbsolute(path) ? path : join(root, path);
}

type Fields = Readonly<Record<string, unknown>>;

function textOf(input: Fields, field: string): string | undefined {
  return typeof input[field] === 'string' ? input[field] : undefined;
}

function parsed(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    // Arguments that are no JSON never ran; there is nothing of them to show.
    return {};
  }
}

/** `[ ] step`, `[>] step`, `[x] step`. */
function planOf(list: string): readonly PlanEntry[] {
  return list.split('\n').flatMap((line) => {
    const [, mark, content] = /^\s*(?:[-*] +)?\[([ >xX])\] *(.+)$/.exec(line) ?? [];
    if (mark === undefined || content === undefined) return [];
    const status = mark === ' ' ? 'pending' : mark === '>' ? 'in_progress' : 'completed';
    return [{ content: sanitise(content), priority: 'medium' as const, status }];
  });
}
