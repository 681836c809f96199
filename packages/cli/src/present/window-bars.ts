/** Draws what fills a prompt: a bar for each kind of block, by its bytes. */
import type { PromptOutline } from '@zerd/protocol/common/methods';
import { bytes } from './cost-line.ts';

const width = 30;

/** The largest first; kinds that are not there are left out. */
export function windowBars(outline: PromptOutline): string {
  const sizes = sizesOf(outline).filter(([, size]) => size > 0);
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  const most = Math.max(1, ...sizes.map(([, size]) => size));
  const rows = [...sizes].sort(([, a], [, b]) => b - a);
  return rows.map(([name, size]) => `${bar(name, size, size / most, size / all)}\n`).join('');
}

type Kind = PromptOutline['messages'][number]['blocks'][number]['kind'];

function sizesOf({ system, tools, messages }: PromptOutline): readonly (readonly [string, number])[] {
  const sum = (kind: Kind, role?: 'user' | 'assistant') =>
    messages
      .filter((message) => role === undefined || message.role === role)
      .flatMap(({ blocks }) => blocks)
      .reduce((total, block) => (block.kind === kind ? total + block.bytes : total), 0);
  return [
    ['system', system.bytes],
    ['tools', tools.reduce((total, tool) => total + tool.bytes, 0)],
    ['summary', sum('summary')],
    ['user text', sum('text', 'user')],
    ['model text', sum('text', 'assistant')],
    ['reasoning', sum('reasoning')],
    ['calls', sum('toolCall')],
    ['results', sum('toolResult')],
  ];
}

function bar(name: string, size: number, length: number, share: number): string {
  const drawn = '#'.repeat(Math.max(1, Math.round(width * length))).padEnd(width);
  return `  ${name.padEnd(10)}  ${drawn}  ${bytes(size).padStart(8)}  ${String(Math.round(100 * share)).padStart(3)} %`;
}
