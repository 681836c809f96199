/**
 * Decides which calls keep each other company: those that only read, and tasks of sub-agents. A task may write, so that
 * it waits for what was asked before it, and whatever comes after it waits for it.
 */
import { onlyReads } from '../permissions/decide.ts';
import { isToolName } from './declarations.ts';

/** Undefined: it runs alone. */
export function companyOf({ name }: { readonly name: string }): 'reads' | 'tasks' | undefined {
  if (!isToolName(name)) return undefined;
  if (name === 'task') return 'tasks';
  return onlyReads(name) ? 'reads' : undefined;
}
