/** Events as tests tell them. */
import type { AssistantBlock, SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import type { ApprovalId, TurnId } from '@zerd/protocol/common/ids';
import { callId, requestId, turnId } from './fake-daemon.ts';

type Event<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

export const created: Event<'session.created'> = {
  kind: 'session.created',
  root: '/repo',
  model: 'sim/sim',
  mode: 'ask',
  system: 's',
  tools: '[]',
  version: '0.1.0',
};

export function begun(text: string, turn: TurnId = turnId): readonly SessionEvent[] {
  return [
    { kind: 'turn.started', turnId: turn, headless: true },
    { kind: 'message.submitted', turnId: turn, text },
  ];
}

export function asked(bytes: number, attempt = 1): Event<'request.started'> {
  return { kind: 'request.started', requestId, turnId, model: 'sim/sim', attempt, bytes, segments: [] };
}

export function answered(
  content: readonly AssistantBlock[],
  costPico: number | null = 1_000_000_000,
): Event<'assistant.finished'> {
  const calls = content.some((block) => block.kind === 'toolCall');
  return {
    kind: 'assistant.finished',
    requestId,
    turnId,
    content: [...content],
    stopReason: calls ? 'toolUse' : 'end',
    usage: { uncached: 100, cacheRead: 800, cacheWrite: 100, output: 40, reported: true },
    costPico,
  };
}

export const says = (text: string): AssistantBlock => ({ kind: 'text', text });
export const calls = (id: string, name: string, input: object): AssistantBlock => ({
  kind: 'toolCall',
  callId: callId(id),
  name,
  inputJson: JSON.stringify(input),
});

export function called(id: string, name: string, input: object): Event<'toolCall.started'> {
  return { kind: 'toolCall.started', turnId, callId: callId(id), name, inputJson: JSON.stringify(input) };
}

export function returned(id: string, more: Partial<Event<'toolCall.finished'>> = {}): Event<'toolCall.finished'> {
  return {
    kind: 'toolCall.finished',
    turnId,
    callId: callId(id),
    outcome: 'ok',
    shown: '',
    bytes: 0,
    durationMs: 20,
    ...more,
  };
}

export function wants(tool: string, asks: string): Event<'approval.requested'> {
  return {
    kind: 'approval.requested',
    turnId,
    callId: callId('c9'),
    approvalId: 'apr_1' as ApprovalId,
    tool,
    digest: 'd',
    asks,
  };
}

export function ended(
  outcome: TurnOutcome,
  failure?: Event<'turn.finished'>['failure'],
  turn: TurnId = turnId,
): Event<'turn.finished'> {
  return { kind: 'turn.finished', turnId: turn, outcome, ...(failure === undefined ? {} : { failure }) };
}
