/**
 * Says in full what a call would do, for the person who is asked. Nothing hides: control, invisible and direction-changing
 * characters are shown as escapes, long runs of spaces are counted, and nothing is cut.
 */
import type { ToolInput, ToolName } from '../tools/declarations.ts';

export function describeCall(name: ToolName, input: ToolInput<ToolName>): string {
  return visible(
    name === 'shell' && 'command' in input ? `shell: ${input.command}` : `${name} ${JSON.stringify(input)}`,
  );
}

// biome-ignore lint/suspicious/noMisleadingCharacterClass: each is escaped by itself
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

function visible(text: string): string {
  return text
    .replace(hidden, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/ {20,}/g, (run) => ` [${run.length} spaces] `)
    .replace(/\n{5,}/g, (run) => `\n[${run.length} newlines]\n`);
}
