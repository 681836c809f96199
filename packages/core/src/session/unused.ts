/** Decides whether anything was ever said or done in a session: one in which nothing was may go without a word. */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';

const settings: readonly SessionEvent['kind'][] = ['session.created', 'mode.changed', 'model.chosen', 'model.changed'];

/** `events`: all of it. */
export function isUnused(events: readonly LoggedEvent[]): boolean {
  return events.every(({ event }) => settings.includes(event.kind));
}
