/**
 * Decides whether a call may run: what the mode allows runs, what it leaves open is asked, the rest is denied with its
 * reason. The mode and the tool's name count; nothing that a model or a repository writes can widen the answer (I7), and
 * what is written where git finds commands narrows it.
 */
import type { Mode } from '@zerd/protocol/common/mode';
import type { ToolInput, ToolName } from '../tools/declarations.ts';
import { namesGit } from './git-folder.ts';

export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'deny'; readonly reason: string };

/** Tools that change nothing. They are also the ones that may run side by side. */
const reading: ReadonlySet<ToolName> = new Set(['read', 'search', 'find', 'recall', 'skill']);

/** Tools that change nothing but what the session keeps in mind, or ask: allowed in every mode, one after another. */
const remembering: ReadonlySet<ToolName> = new Set(['notes', 'todo', 'question']);

export function onlyReads(tool: ToolName): boolean {
  return reading.has(tool);
}

/** Tools whose effects are asked about elsewhere: what a sub-agent does is decided by the mode of its own session. */
const guarded: ReadonlySet<ToolName> = new Set(['task']);

/** `input`: for tools that change something with some arguments and nothing with others. */
export function decide(mode: Mode, tool: ToolName, input?: ToolInput<ToolName>): Decision {
  if (onlyReads(tool) || remembering.has(tool) || guarded.has(tool) || onlyLooks(tool, input)) return { kind: 'allow' };
  switch (mode) {
    case 'read-only':
      return { kind: 'deny', reason: `Not run: this session is read-only and ${tool} could change something.` };
    case 'ask':
      return { kind: 'ask' };
    case 'edit':
      return runsSomething(tool, input) ? { kind: 'ask' } : { kind: 'allow' };
    case 'full':
      return { kind: 'allow' };
  }
}

/** At once, or when git is used next. */
function runsSomething(tool: ToolName, input: ToolInput<ToolName> | undefined): boolean {
  if (tool === 'shell' || tool === 'jobs' || tool === 'mcp') return true;
  return (tool === 'write' || tool === 'edit') && input !== undefined && 'path' in input && namesGit(input.path ?? '');
}

/** What a server says of its tools is foreign and opens nothing: a call is a call. */
function onlyLooks(tool: ToolName, input: ToolInput<ToolName> | undefined): boolean {
  if (tool === 'mcp') return input !== undefined && 'find' in input && !('tool' in input);
  return tool === 'jobs' && input !== undefined && 'action' in input && looking.has(input.action);
}

const looking: ReadonlySet<string> = new Set(['list', 'wait', 'tail']);
