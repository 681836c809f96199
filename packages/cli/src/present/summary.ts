/**
 * What a run comes to: a fold of its events. Figures are sums over the requests of the folded events; the text is the
 * newest answer's. Costs stay integers of pico-dollars until they are written (I11).
 */
import { addUsage, noUsage } from '@zerd/protocol/common/add-usage';
import type { Failure, SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Flow } from './cost-line.ts';

export interface Summary {
  readonly text: string;
  readonly outcome: TurnOutcome | null;
  readonly failure: Failure | null;
  readonly requests: number;
  readonly answered: number;
  /** The open request beside the conversation: its answer is nothing that the model said. */
  readonly beside: string | null;
  readonly requestBytes: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costPico: number;
  readonly unpricedRequests: number;
  readonly filesChanged: readonly string[];
  /** Questions to which nobody said yes: the whole of each. A headless turn says no to its own at once. */
  readonly asks: readonly { readonly approvalId: string; readonly tool: string; readonly asks: string }[];
}

export const emptySummary: Summary = {
  text: '',
  outcome: null,
  failure: null,
  requests: 0,
  answered: 0,
  beside: null,
  requestBytes: 0,
  toolCalls: 0,
  usage: noUsage,
  costPico: 0,
  unpricedRequests: 0,
  filesChanged: [],
  asks: [],
};

export function addEvent(sum: Summary, event: SessionEvent): Summary {
  switch (event.kind) {
    case 'request.started':
      return {
        ...sum,
        requests: sum.requests + 1,
        requestBytes: sum.requestBytes + event.bytes,
        beside: event.purpose === undefined ? null : event.requestId,
      };
    case 'assistant.finished':
      return addAnswer(sum, event);
    case 'request.failed':
      return event.usage === undefined ? sum : { ...sum, ...paid(sum, event.usage, event.costPico ?? null) };
    case 'toolCall.started':
      return { ...sum, toolCalls: sum.toolCalls + 1 };
    case 'toolCall.finished':
      return { ...sum, filesChanged: union(sum.filesChanged, written(event)) };
    case 'approval.requested':
      return { ...sum, asks: [...sum.asks, { approvalId: event.approvalId, tool: event.tool, asks: event.asks }] };
    case 'approval.answered':
      return event.decision === 'granted'
        ? { ...sum, asks: sum.asks.filter((ask) => ask.approvalId !== event.approvalId) }
        : sum;
    case 'turn.finished':
      return { ...sum, outcome: event.outcome, failure: event.failure ?? null };
    default:
      return sum;
  }
}

/** The figures of a summary as the cost line takes them. */
export function flowOf(sum: Summary): Flow {
  return { ...sum.usage, ...sum };
}

/** Dollars, or null when they are not known: a request without price, or requests of which none was answered. */
export function costUsd(sum: Summary): number | null {
  const known = sum.unpricedRequests === 0 && (sum.answered > 0 || sum.requests === 0);
  return known ? sum.costPico / 1e12 : null;
}

type Event<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

function addAnswer(sum: Summary, event: Event<'assistant.finished'>): Summary {
  const said = event.requestId !== sum.beside;
  return {
    ...sum,
    ...(said ? { text: textOf(event) } : {}),
    answered: sum.answered + 1,
    ...paid(sum, event.usage, event.costPico),
  };
}

/** Also for an answer that broke off: the provider charges for what it had reported. */
function paid(sum: Summary, usage: Usage, costPico: number | null) {
  return {
    usage: addUsage(sum.usage, usage),
    costPico: sum.costPico + (costPico ?? 0),
    unpricedRequests: sum.unpricedRequests + (costPico === null ? 1 : 0),
  };
}

function textOf({ content }: Event<'assistant.finished'>): string {
  return content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('');
}

function written(event: Event<'toolCall.finished'>): readonly string[] {
  return (event.files ?? []).flatMap((file) => (file.how === 'written' ? [file.path] : []));
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
