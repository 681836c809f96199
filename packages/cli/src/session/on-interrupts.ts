/** Ctrl-C during a turn: the first asks the daemon to end it and waits for that, the second leaves at once. */
import { exitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import type { Drive, TurnListener } from './drive-turn.ts';

export function onInterrupts(
  terminal: Terminal,
  drive: Pick<Drive, 'interrupt'>,
  listener: Pick<TurnListener, 'note'>,
): Disposable {
  let asked = false;
  return terminal.onInterrupt(() => {
    if (asked) return terminal.exit(exitCode.interrupted);
    asked = true;
    listener.note('interrupting; again leaves at once');
    drive.interrupt();
  });
}
