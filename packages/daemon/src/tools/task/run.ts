/** Does: hands a task to a sub-agent through the port, and gives what it answers. */

import type { ToolRun } from '../../base/ports.ts';
import { failed } from '../../base/tool-answer.ts';

export const run: ToolRun<'task'> = async (task, { delegate }) =>
  delegate === undefined ? failed('Not started: there are no sub-agents here. Do this work here.') : delegate(task);
