/**
 * Decides what the model is told of a change of the mode: one line, once, and only where it had been asked in another one.
 * The system text knows no mode, so that nothing before it changes (I3).
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import type { SessionState } from '../../session/state.ts';

/** Undefined: there is nothing to tell. */
export function modeChanged(
  { mode, toldMode }: Pick<SessionState, 'mode' | 'toldMode'>,
  turnId: TurnId,
): Extract<SessionEvent, { kind: 'reminder.added' }> | undefined {
  if (toldMode === undefined || toldMode === mode) return undefined;
  const text = `The user changed the mode to ${mode}: ${allows[mode]}.`;
  return { kind: 'reminder.added', turnId, text, about: { kind: 'modeChanged', mode } };
}

const allows: Readonly<Record<Mode, string>> = {
  'read-only': 'look, change nothing',
  ask: 'changes and commands are asked about first',
  edit: 'files may be changed, commands are asked about first',
  full: 'files may be changed and commands run',
};
