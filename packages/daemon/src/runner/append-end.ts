/**
 * Does: writes the end of a turn, with a result for whatever it leaves open. A store that cannot take it is
 * asked again, visibly, until it can: whoever waits for the end of the turn would wait for ever. An interrupt ends that
 * too; the session is then closed when it is next used.
 */
import { settleChosen } from '@zerd/core/session/chosen-model';
import { isZerdError, type ZerdError } from '@zerd/protocol/common/errors';
import type { Failure, SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import { isDiskFull } from '../base/full-disk.ts';
import { closeRequest } from './lost-request.ts';
import { closeCalls } from './resume/close-calls.ts';
import type { TurnContext } from './turn-context.ts';

interface End {
  readonly outcome: TurnOutcome;
  readonly failure?: Failure;
}

const againAfterMs = 2_000;

export async function appendEnd(turn: TurnContext, end: End): Promise<void> {
  let shown: Disposable | undefined;
  try {
    for (;;) {
      const refused = await tryEnd(turn, end);
      if (refused === undefined) return;
      shown ??= show(turn, refused);
      await turn.clock.sleep(againAfterMs, turn.signal);
    }
  } finally {
    shown?.[Symbol.dispose]();
  }
}

/** What the store refused; undefined: it is written. Rejects with a defect, or once the turn was interrupted. */
async function tryEnd(turn: TurnContext, end: End): Promise<ZerdError | undefined> {
  try {
    await turn.append([
      ...lostRequest(turn, end.failure),
      ...closeCalls(turn.state().openCalls),
      finished(turn, end),
      ...settleChosen(turn.state()),
    ]);
    return undefined;
  } catch (error) {
    if (!isZerdError(error) || turn.signal.aborted) throw error;
    return error;
  }
}

function finished(turn: TurnContext, end: End): SessionEvent {
  return { kind: 'turn.finished', turnId: turn.turnId, ...end };
}

/** A request whose own end could not be written. */
function lostRequest(turn: TurnContext, failure: Failure | undefined): readonly SessionEvent[] {
  return failure === undefined ? [] : closeRequest(turn.state(), failure, () => turn.model.price);
}

function show({ log, waits, sessionId }: TurnContext, error: ZerdError): Disposable {
  log.warn('the end of a turn could not be written yet', { error, sessionId });
  const what = isDiskFull(error) ? 'room' : 'a session log that takes it (see `zerd doctor`),';
  return waits.begin(`${what} to write the end of the turn`, sessionId, undefined, 'blocks');
}
