/** Puts the prompt together: the words of the command line, then standard input where there are none or one is `-`. */
import type { Terminal } from '../terminal.ts';

/** Undefined when there is nothing to ask. */
export async function readPrompt(
  words: readonly string[] | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  const spoken = (words ?? []).filter((word) => word !== '-').join(' ');
  const wantsInput = words?.includes('-') || ((words ?? []).length === 0 && !terminal.inputIsTerminal);
  const input = wantsInput ? await terminal.readInput() : '';
  const parts = [spoken, input.replace(/\n+$/, '')].filter((part) => part.trim() !== '');
  return parts.length === 0 ? undefined : parts.join('\n\n');
}
