/**
 * Decides how long a tool may run without a word before it is taken for one that hangs (I8). Invariant: a tool that has a
 * limit of its own is never cut short by this one.
 */
import { shortText } from '../mcp/plain-text.ts';
import type { ToolInput, ToolName } from '../tools/declarations.ts';

/** Undefined: others watch it. */
export function toolLimitMs(name: ToolName, input: ToolInput<ToolName>, usualMs: number): number | undefined {
  // A sub-agent has deadlines of its own, and whoever is asked has a day.
  if (name === 'task' || name === 'question') return undefined;
  const own = 'timeoutMs' in input ? (input.timeoutMs ?? 0) : 0;
  return usualMs + own;
}

/** What is waited for, as people see it. */
export function waitName(name: ToolName, input: ToolInput<ToolName>): string {
  const outside = name === 'mcp' && 'tool' in input ? input.tool : undefined;
  return outside === undefined ? `tool ${name}` : `tool ${shortText(outside, 120)}`;
}

/** What the model is told; `inWords`: how long was waited. */
export function letGoText(name: string, inWords: string): string {
  return `${name} made no progress for ${inWords} and was given up. It may have had an effect: look before you call it again.`;
}
