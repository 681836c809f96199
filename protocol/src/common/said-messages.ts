/** The messages with which the turns of a session began: the points to which it can go back. Pure. */
import type { LoggedEvent } from './event.ts';

export interface SaidMessage {
  /** The last event before its turn. */
  readonly seq: number;
  readonly text: string;
}

/** In order. What was said to a running turn is part of that turn. */
export function messagesIn(events: readonly LoggedEvent[]): readonly SaidMessage[] {
  const started = new Map<string, number>();
  const said = new Map<string, SaidMessage>();
  for (const { seq, event } of events) {
    if (event.kind === 'turn.started') started.set(event.turnId, seq);
    if (event.kind !== 'message.submitted' || said.has(event.turnId)) continue;
    said.set(event.turnId, { seq: (started.get(event.turnId) ?? seq) - 1, text: event.text });
  }
  return [...said.values()];
}
