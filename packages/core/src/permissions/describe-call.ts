/**
 * Says in full what a call would do, for the person who is asked. Nothing hides: control, invisible and direction-changing
 * characters are shown as escapes, long runs of spaces are counted, and nothing is cut.
 */
import type { ToolInput, ToolName } from '../tools/declarations.ts';

export function describeCall(name: ToolName, input: ToolInput<ToolName>): string {
  return visible(textOf(name, input));
}

function textOf(name: ToolName, input: ToolInput<ToolName>): string {
  if (name === 'shell' && 'command' in input) return `shell: ${input.command}`;
  if (name === 'mcp' && 'tool' in input)
    return `outside tool ${input.tool}\n${JSON.stringify(input.arguments ?? {}, undefined, 2)}`;
  return `${name} ${JSON.stringify(input)}`;
}

const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function visible(text: string): string {
  return text
    .replace(hidden, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/ {20,}/g, (run) => ` [${run.length} spaces] `)
    .replace(/\n{5,}/g, (run) => `\n[${run.length} newlines]\n`);
}
