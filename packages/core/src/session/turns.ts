/** The running turn as a part of the fold: how it began, was resumed and got further. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { RunningTurn, SessionState } from './state.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
type Running = SessionState['turn'];

export function startTurn(event: EventOf<'turn.started'>, at: number): RunningTurn {
  const { turnId, maxRequests, headless = false, work } = event;
  const untried = { requests: 0, attempts: 0, failing: undefined, resumedAt: [] };
  return { turnId, startedAt: at, maxRequests, headless, work, ...untried };
}

export function resumeTurn(turn: Running, { turnId }: EventOf<'turn.resumed'>, at: number): Running {
  return inTurn(turn, turnId, ({ resumedAt }) => ({ failing: undefined, resumedAt: [...resumedAt, at] }));
}

/** Something came of it: whatever ended the daemon before, the turn does not end it each time. */
export function gotFurther(turn: Running, turnId: TurnId): Running {
  return inTurn(turn, turnId, ({ resumedAt }) => (resumedAt.length === 0 ? {} : { resumedAt: [] }));
}

export function inTurn(turn: Running, turnId: TurnId, change: (turn: RunningTurn) => Partial<RunningTurn>): Running {
  return turn?.turnId === turnId ? { ...turn, ...change(turn) } : turn;
}
