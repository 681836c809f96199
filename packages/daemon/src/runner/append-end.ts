/**
 * Does: writes the end of a turn, with a result for whatever it leaves open. A store that cannot take it is
 * asked again, visibly, until it can: whoever waits for the end of the turn would wait for ever. An interrupt ends that
 * too; the session is then closed when it is next used.
 */
import { settleChosen } from '@zerd/core/session/chosen-model';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { Failure, SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import { closeRequest } from './lost-request.ts';
import { closeCalls } from './resume/close-calls.ts';
import type { TurnContext } from './turn-context.ts';

const againAfterMs = 2_000;

export async function appendEnd(
  turn: TurnContext,
  end: { readonly outcome: TurnOutcome; readonly failure?: Failure },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await turn.append([
        ...lostRequest(turn, end.failure),
        ...closeCalls(turn.state().openCalls),
        finished(turn, end),
        ...settleChosen(turn.state()),
      ]);
      return;
    } catch (error) {
      if (!isZerdError(error) || turn.signal.aborted) throw error;
      if (tries === 1)
        turn.log.warn('the end of a turn could not be written yet', { error, sessionId: turn.sessionId });
      await pause(turn);
    }
  }
}

function finished(turn: TurnContext, end: { readonly outcome: TurnOutcome; readonly failure?: Failure }): SessionEvent {
  return { kind: 'turn.finished', turnId: turn.turnId, ...end };
}

/** A request whose own end could not be written. */
function lostRequest(turn: TurnContext, failure: Failure | undefined): readonly SessionEvent[] {
  return failure === undefined ? [] : closeRequest(turn.state(), failure, () => turn.model.price);
}

/** Rejects with the signal's reason when interrupted. */
async function pause(turn: TurnContext): Promise<void> {
  const shown = turn.waits.begin('room to write the end of the turn', turn.sessionId);
  try {
    await turn.clock.sleep(againAfterMs, turn.signal);
  } finally {
    shown[Symbol.dispose]();
  }
}
