/**
 * Shows what a command writes in the editor while it runs. It runs under the daemon, not in a terminal of the editor's, so
 * that it outlives the editor: an editor that knows terminals of the agent (`_meta.terminal_output`, as Zed does) is told of
 * one, any other sees the end of the output as text. Pure. Invariant: nothing that was written steers the editor.
 */
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import { sanitiseOutput } from '@zerd/protocol/common/sanitise';

/** A command that runs, as far as the editor was told of it. */
export interface Written {
  /** Undefined: the editor knows no terminals of the agent. */
  readonly terminal: boolean;
  /** The newest of it; with a terminal only what is not told yet, because it ends in the middle of a sequence. */
  readonly text: string;
  /** Something of it was told. */
  readonly told: boolean;
}

export type Call = Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>;
export type CallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>;

/** Characters that are shown as text: they are sent whole each time. */
const mostText = 4_000;

export function beginCommand(terminal: boolean): Written {
  return { terminal, text: '', told: false };
}

export function withTerminal(call: Call, cwd: string): Call {
  const { toolCallId } = call;
  return { ...call, content: terminalOf(toolCallId), _meta: { terminal_info: { terminal_id: toolCallId, cwd } } };
}

export function tellWritten(
  written: Written,
  toolCallId: string,
  text: string,
): { readonly next: Written; readonly update: CallUpdate | undefined } {
  const all = written.text + text;
  if (!written.terminal) {
    const next = { ...written, text: all.slice(-mostText), told: true };
    return { next, update: { sessionUpdate: 'tool_call_update', toolCallId, content: textOf(next.text) } };
  }
  const cut = heldFrom(all);
  const data = sanitiseOutput(all.slice(0, cut));
  const next = { ...written, text: held(all.slice(cut)), told: written.told || data !== '' };
  return { next, update: data === '' ? undefined : output(toolCallId, data) };
}

/** The end of a terminal; what was never told of its output is told now. */
export function endTerminal(
  written: Written,
  toolCallId: string,
  { shown, exitCode }: { readonly shown: string; readonly exitCode: number | undefined },
): { readonly before: readonly CallUpdate[]; readonly end: Pick<CallUpdate, 'content' | '_meta'> } {
  const left = written.told || shown === '' ? written.text : shown;
  return {
    before: left === '' ? [] : [output(toolCallId, sanitiseOutput(left))],
    end: {
      content: terminalOf(toolCallId),
      _meta: { terminal_exit: { terminal_id: toolCallId, exit_code: exitCode ?? null, signal: null } },
    },
  };
}

function output(toolCallId: string, data: string): CallUpdate {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    _meta: { terminal_output: { terminal_id: toolCallId, data } },
  };
}

function terminalOf(terminalId: string): ToolCallContent[] {
  return [{ type: 'terminal', terminalId }];
}

function textOf(text: string): ToolCallContent[] {
  return [{ type: 'content', content: { type: 'text', text: sanitiseOutput(text) } }];
}

/** A sequence that is not whole, and a line that is written over, wait for what comes next. */
function heldFrom(text: string): number {
  const sequence = /\u001b[^A-Za-z\u0007]{0,64}$/.exec(text)?.index ?? text.length;
  const line = text.lastIndexOf('\n') + 1;
  return text.indexOf('\r', line) < 0 ? sequence : Math.min(sequence, line);
}

/** What was written over is not kept, so that little is. */
function held(text: string): string {
  return text.replace(/^[^\n]*\r(?=[^\r])/, '');
}
