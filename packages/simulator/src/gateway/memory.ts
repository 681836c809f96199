/** What the gateway has delivered so far, for players and judges: counts, and the reasoning that belongs to each call. */
import type { Issued, IssuedItem } from '../judge/verdict.ts';
import type { Memory } from '../players/player.ts';
import type { Answer } from '../speak/answer.ts';
import type { RequestView } from '../view/request-view.ts';
import { type Json, stringOf } from '../wire.ts';

export interface GatewayMemory {
  readonly issued: Issued;
  of(view: RequestView): Memory;
  /** An answer is being sent: its calls may come back even when it is cut. `items`: its output items, where a wire has them. */
  issue(answer: Answer, items: readonly Json[]): void;
  delivered(view: RequestView): void;
}

export function createMemory(): GatewayMemory {
  const reasoning = new Map<string, { readonly text: string; readonly model: string }>();
  const items = new Map<string, IssuedItem>();
  const conversations = new Map<string, { delivered: number; readonly notes: Map<string, unknown> }>();
  let delivered = 0;
  const conversationOf = (view: RequestView) => {
    const key = firstUserText(view);
    const known = conversations.get(key) ?? { delivered: 0, notes: new Map() };
    conversations.set(key, known);
    return known;
  };
  return {
    issued: {
      reasoningOf(callId, model) {
        const before = reasoning.get(callId);
        return before?.model === model ? before.text : undefined;
      },
      itemOf: (id) => items.get(id),
    },
    of(view) {
      const here = conversationOf(view);
      return { delivered, deliveredHere: here.delivered, notes: here.notes };
    },
    issue(answer, output) {
      if (answer.reasoning !== '')
        for (const call of answer.calls) reasoning.set(call.id, { text: answer.reasoning, model: answer.model });
      for (const [id, item] of issuedItems(output)) items.set(id, item);
    },
    delivered(view) {
      delivered += 1;
      conversationOf(view).delivered += 1;
    },
  };
}

/** Reasoning belongs to the item right behind it. */
function issuedItems(output: readonly Json[]): readonly (readonly [string, IssuedItem])[] {
  return output.map((item, i) => {
    const before = output[i - 1];
    const reasoning = before?.type === 'reasoning' ? { reasoningId: stringOf(before.id) } : {};
    return [stringOf(item.id), { item, ...reasoning }];
  });
}

function firstUserText(view: RequestView): string {
  const parts = view.messages[0]?.parts ?? [];
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}
