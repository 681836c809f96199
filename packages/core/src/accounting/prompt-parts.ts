/**
 * The parts of which a session's prompts are made, carried along the log: each with a size in tokens that is estimated from
 * its bytes, in the order in which it stands. Invariant: it agrees with `render` on what is there, not on the exact bytes.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import { clearedInputBytes, clearedResultBytes } from '../context/cleared.ts';
import { callWords } from '../context/relieve/call-words.ts';
import { classOf, usualRates } from '../context/relieve/token-rates.ts';
import { framing, sizeOfText } from '../context/relieve/transcript.ts';

export type CarriedKind =
  | 'system'
  | 'rules'
  | 'tool'
  | 'message'
  | 'summary'
  | 'answer'
  | 'reasoning'
  | 'call'
  | 'result'
  | 'skill'
  | 'note';

export interface PromptPart {
  readonly kind: CarriedKind;
  readonly label: string;
  readonly callId: CallId | undefined;
}

interface Placed {
  readonly part: PromptPart;
  readonly seq: number;
  weight: number;
}

export interface PromptParts {
  apply(logged: LoggedEvent): void;
  /** Every part that would be sent now, in order. */
  weights(): readonly (readonly [PromptPart, number])[];
}

type Kind = SessionEvent['kind'];
type EventOf<K extends Kind> = Extract<SessionEvent, { kind: K }>;
/** Kinds that are not among them change no prompt. */
type Handlers = { readonly [K in Kind]?: (seq: number, event: EventOf<K>) => void };

export function promptParts(): PromptParts {
  let fixed: readonly Placed[] = [];
  let placed: Placed[] = [];
  const calls = new Map<CallId, { readonly label: string; readonly name: string; readonly seq: number }>();

  function add(seq: number, kind: CarriedKind, label: string, weight: number, callId?: CallId): void {
    placed.push({ part: { kind, label, callId }, seq, weight });
  }

  function answer(seq: number, { content }: EventOf<'assistant.finished'>): void {
    for (const block of content) {
      if (block.kind === 'text') add(seq, 'answer', 'what the model said', weigh(block.text));
      if (block.kind === 'opaque') add(seq, 'reasoning', 'reasoning', block.json.length / usualRates.opaque);
      if (block.kind !== 'toolCall') continue;
      const { label } = callWords(block);
      calls.set(block.callId, { label, name: block.name, seq });
      add(seq, 'call', label, weigh(block.inputJson), block.callId);
    }
  }

  function result(seq: number, { callId, shown, rules = [], images }: EventOf<'toolCall.finished'>): void {
    const { label = 'a call', name = '' } = calls.get(callId) ?? {};
    const whole = weigh(shown);
    const share = (chars: number) => (shown.length === 0 ? 0 : (whole * Math.min(chars, shown.length)) / shown.length);
    const ofRules = rules.map(({ path, chars = 0 }) => [path, share(chars)] as const);
    const rest = ofRules.reduce((left, [, weight]) => left - weight, whole);
    add(seq, name === 'skill' ? 'skill' : 'result', label, Math.max(0, rest) + tokensOf(images), callId);
    for (const [path, weight] of ofRules) add(seq, 'rules', path, weight, callId);
  }

  function trim({ calls: cut, inputs, endsReasoning = false, clearedNotes = [] }: EventOf<'context.trimmed'>): void {
    const results = new Set(cut);
    const arguments_ = new Set(inputs.map(({ callId }) => callId));
    const notes = new Set(clearedNotes);
    placed = placed.filter(({ part, seq }) => {
      if (part.kind === 'reasoning') return !endsReasoning;
      return part.kind !== 'note' || !notes.has(seq);
    });
    for (const one of placed) {
      const { kind, callId } = one.part;
      if (callId === undefined) continue;
      if (kind === 'call' && arguments_.has(callId)) one.weight = Math.min(one.weight, stub(clearedInputBytes));
      else if (kind !== 'call' && results.has(callId)) one.weight = Math.min(one.weight, stub(clearedResultBytes));
    }
  }

  function compact(seq: number, { throughSeq, summary }: EventOf<'context.compacted'>): void {
    const gone = ({ part, seq: at }: Placed) =>
      at <= throughSeq || (part.callId !== undefined && (calls.get(part.callId)?.seq ?? at) <= throughSeq);
    placed = placed.filter((one) => !gone(one));
    placed.unshift({ part: { kind: 'summary', label: 'the summary', callId: undefined }, seq, weight: weigh(summary) });
  }

  const handlers: Handlers = {
    'session.created'(seq, event) {
      fixed = fixedParts(seq, event);
    },
    'message.submitted': (seq, { facts = '', text, images }) =>
      add(seq, 'message', 'what you said', weigh(`${facts}${text}`) + tokensOf(images)),
    'reminder.added': (seq, { text }) => add(seq, 'note', 'reminders', weigh(text)),
    'assistant.finished': answer,
    'toolCall.finished': result,
    'model.changed'() {
      placed = placed.filter(({ part }) => part.kind !== 'reasoning');
    },
    'context.trimmed'(seq, event) {
      trim(event);
      add(seq, 'note', 'lists of what was cleared', weigh(event.note));
    },
    'context.compacted': compact,
  };

  return {
    apply({ seq, event }) {
      const handler = Object.hasOwn(handlers, event.kind) ? handlers[event.kind] : undefined;
      (handler as ((seq: number, event: SessionEvent) => void) | undefined)?.(seq, event);
    },
    weights: () => [...fixed, ...placed].map(({ part, weight }) => [part, weight] as const),
  };
}

function fixedParts(seq: number, { system, tools, rules = [] }: EventOf<'session.created'>): readonly Placed[] {
  const declared = JSON.parse(tools) as readonly { readonly name: string }[];
  const perChar = system.length === 0 ? 0 : weigh(system) / system.length;
  const ofRules = rules.map(
    ({ path, chars, bytes = 0 }) => [path, perChar * Math.min(chars ?? bytes, system.length)] as const,
  );
  const rest = ofRules.reduce((left, [, weight]) => left - weight, perChar * system.length);
  const part = (kind: CarriedKind, label: string, weight: number): Placed => ({
    part: { kind, label, callId: undefined },
    seq,
    weight,
  });
  return [
    ...declared.map((tool) => part('tool', `tool ${tool.name}`, weigh(JSON.stringify(tool)))),
    part('system', 'the system text', Math.max(0, rest)),
    ...ofRules.map(([path, weight]) => part('rules', path, weight)),
  ];
}

/** Tokens, by the usual rate of its class; what a request really counted sets the scale. */
function weigh(text: string): number {
  const { bytes, class: of } = sizeOfText(text);
  return (bytes + framing) / usualRates[of];
}

function tokensOf(images: readonly Image[] = []): number {
  return images.reduce((sum, { tokens }) => sum + tokens, 0);
}

function stub(bytes: number): number {
  return (bytes + framing) / usualRates[classOf('')];
}
