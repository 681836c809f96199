/** Puts what the model said last on the clipboard, as it wrote it: rows of the screen are broken and indented. */
import type { Block } from '../transcript/blocks.ts';
import type { Desk } from './desk.ts';

/** Bytes that terminals take at once. */
const mostBytes = 74_000;

export function copy({ blocks, copy: put, say }: Desk, rest: string): void {
  if (rest !== '' && rest !== 'code') throw new Error(`/copy takes nothing, or code: '${rest}' was not understood.`);
  const text = rest === 'code' ? newestCode(blocks) : newestAnswer(blocks);
  if (text === undefined) say('dim', rest === 'code' ? 'No code was written yet.' : 'Nothing was answered yet.');
  else {
    put(copyable(text));
    const count = text.trimEnd().split('\n').length;
    say('good', `Copied: ${count} ${count === 1 ? 'line' : 'lines'}, where the terminal lets programs do that.`);
  }
}

function copyable(text: string): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  throw new Error('It is too long for the clipboard of a terminal, and nothing was copied: /export writes a file.');
}

function answers(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => (block.kind === 'answer' && block.text.trim() !== '' ? [block.text] : []));
}

function newestAnswer(blocks: readonly Block[]): string | undefined {
  return answers(blocks).at(-1);
}

/** The newest block of code that has ended, without its fences. */
function newestCode(blocks: readonly Block[]): string | undefined {
  return answers(blocks)
    .flatMap((text) =>
      Array.from(text.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1[`~]*[ \t]*$/gm), ([, , code]) => code),
    )
    .at(-1);
}
