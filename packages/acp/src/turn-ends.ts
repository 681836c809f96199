/** Waits for the ends of turns. Invariant: an end that comes before anybody waits for it is not lost. */
import type { PromptResponse } from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';

type TurnFinished = Extract<SessionEvent, { kind: 'turn.finished' }>;

export interface TurnEnds {
  seen(event: TurnFinished): void;
  /** Rejects when the turn failed. */
  of(turnId: TurnId): Promise<PromptResponse>;
  /** Nothing more will be heard. */
  lose(error: Error): void;
}

/** As many ends are kept as could come between a turn's start and the answer to it. */
const kept = 50;

export function turnEnds(): TurnEnds {
  const ended = new Map<TurnId, TurnFinished>();
  const waiting = new Map<TurnId, { settle(event: TurnFinished): void; fail(error: Error): void }>();
  let lost: Error | undefined;
  return {
    seen(event) {
      waiting.get(event.turnId)?.settle(event);
      waiting.delete(event.turnId);
      ended.set(event.turnId, event);
      const [oldest] = ended.keys();
      if (ended.size > kept && oldest !== undefined) ended.delete(oldest);
    },
    async of(turnId) {
      const known = ended.get(turnId);
      if (known !== undefined) return responseOf(known);
      if (lost !== undefined) throw lost;
      const event = await new Promise<TurnFinished>((settle, fail) => waiting.set(turnId, { settle, fail }));
      return responseOf(event);
    },
    lose(error) {
      lost = error;
      for (const { fail } of waiting.values()) fail(error);
      waiting.clear();
    },
  };
}

function responseOf({ outcome, failure }: TurnFinished): PromptResponse {
  switch (outcome) {
    case 'done':
    case 'needs-answer':
      return { stopReason: 'end_turn' };
    case 'interrupted':
      return { stopReason: 'cancelled' };
    case 'limit':
      return { stopReason: failure?.message.includes('output limit') === true ? 'max_tokens' : 'max_turn_requests' };
    case 'failed':
      throw new RequestError(-32_603, failure?.message ?? 'The turn failed.', { code: failure?.code });
  }
}
