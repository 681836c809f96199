/** The shortest results of a tool: one text. */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { ToolResult } from './ports.ts';

/** `text` says what went wrong, what was kept and what to do next. */
export function failed(text: string): ToolResult {
  return { outcome: 'failed', body: { kind: 'text', text } };
}

export function interrupted(text: string): ToolResult {
  return { outcome: 'interrupted', body: { kind: 'text', text } };
}

/** What `work` gives, or `interrupted(text)` when it stops with the signal's own reason. */
export async function untilAborted(
  signal: AbortSignal,
  text: string,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    if (signal.aborted && error === signal.reason) return interrupted(text);
    throw error;
  }
}

/** What `work` says, or why it could not, where that is expected. */
export async function keptOrFailed(work: () => Promise<string>): Promise<ToolResult> {
  try {
    return { outcome: 'ok', body: { kind: 'text', text: await work() } };
  } catch (error) {
    if (isZerdError(error) && error.code === 'invalid_params') return failed(error.message);
    throw error;
  }
}
