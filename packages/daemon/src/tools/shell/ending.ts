/** Decides what an ending of a command is called, in the result and in its head line. */
import type { ToolOutcome } from '@zerd/protocol/common/event';
import type { Exit } from '../../processes/start-command.ts';

export type Ending =
  | ({ readonly kind: 'exited' } & Exit)
  | { readonly kind: 'timedOut'; readonly timeoutMs: number }
  | { readonly kind: 'silent'; readonly silentMs: number }
  | { readonly kind: 'interrupted' };

export function outcomeOf(ending: Ending): Extract<ToolOutcome, 'ok' | 'failed' | 'interrupted'> {
  if (ending.kind === 'interrupted') return 'interrupted';
  return ending.kind === 'exited' && ending.code === 0 ? 'ok' : 'failed';
}

/** Undefined: it ended well, and there is nothing to say. */
export function describeEnding(ending: Ending, leftBehind: boolean): string | undefined {
  const how = howOf(ending);
  const behind = leftBehind
    ? 'a process that it started still runs in the background; its further output is not kept'
    : undefined;
  const parts = [how, behind].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}

function howOf(ending: Ending): string | undefined {
  if (ending.kind === 'interrupted') return 'interrupted by the user, killed';
  if (ending.kind === 'timedOut') return `timed out after ${ending.timeoutMs} ms, killed`;
  if (ending.kind === 'silent') {
    return `no output for ${Math.round(ending.silentMs / 60_000)} min, killed; give timeoutMs to a command that may be silent for longer`;
  }
  if (ending.code === null) return `killed by ${ending.signal}`;
  return ending.code === 0 ? undefined : `exit ${ending.code}`;
}
