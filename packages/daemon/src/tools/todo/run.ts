/** Keeps the list of steps. Invariant: lines that are no steps are kept and named, never dropped. */
import { todoAnswer } from '@zerd/core/memory/todo';
import type { ToolRun } from '../../base/ports.ts';
import { failed, keptOrFailed } from '../../base/tool-answer.ts';

export const run: ToolRun<'todo'> = async ({ list }, { memory }) => {
  if (memory === undefined) return failed('A list of steps cannot be kept here.');
  return keptOrFailed(async () => {
    await memory.keep({ todo: list });
    return todoAnswer(memory.read().todo);
  });
};
