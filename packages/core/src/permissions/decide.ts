/**
 * Decides whether a call may run: what the mode allows runs, what it leaves open is asked, the rest is denied with its
 * reason. The mode and the tool's name count; nothing that a model or a repository writes can widen the answer (I7), and
 * what is written where git finds commands narrows it.
 */
import type { Mode } from '@zerd/protocol/common/mode';
import type { ToolInput, ToolName } from '../tools/declarations.ts';
import { judgeCommand, type Reach } from './commands/judge-command.ts';
import { type CommandRule, ruleText } from './commands/rules.ts';
import { namesGit } from './git-folder.ts';

/** What the user allowed beforehand, besides the mode. */
export interface Grants {
  readonly commands: readonly CommandRule[];
}

export const noGrants: Grants = { commands: [] };

/** Read only where they count: for commands and outside tools. */
export type ReadGrants = () => Grants;

/** What holds only if a command reaches no farther than it should. */
export interface OnlyIf {
  readonly reach: Reach;
  /** Nothing of it changes anything: it is kept from running what the repository names. */
  readonly looks: boolean;
  /** Where it reaches farther. */
  readonly or: 'ask' | 'deny';
}

export type Decision =
  | { readonly kind: 'allow'; readonly only?: OnlyIf }
  /** `always`: what would allow it from now on. */
  | { readonly kind: 'ask'; readonly always?: readonly string[] }
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
export function decide(
  mode: Mode,
  tool: ToolName,
  input?: ToolInput<ToolName>,
  grants: ReadGrants = () => noGrants,
): Decision {
  if (onlyReads(tool) || remembering.has(tool) || guarded.has(tool) || onlyLooks(tool, input)) return { kind: 'allow' };
  if (mode === 'full') return { kind: 'allow' };
  if (tool === 'shell' && input !== undefined && 'command' in input)
    return decideCommand(mode, input.command, grants());
  if (mode === 'read-only') return denied(tool);
  if (tool === 'mcp' && input !== undefined && 'tool' in input) return decideOutside(input.tool ?? '', grants());
  return mode === 'ask' || runsSomething(tool, input) ? { kind: 'ask' } : { kind: 'allow' };
}

/** An outside tool is allowed by its name, with any arguments: `mcp:server/tool`, which no program is called. */
function decideOutside(tool: string, { commands }: Grants): Decision {
  const name = `mcp:${tool}`;
  if (commands.some(({ words }) => words.length === 1 && words[0] === name)) return { kind: 'allow' };
  return /^[\w-]+\/[\w./-]+$/.test(tool) ? { kind: 'ask', always: [name] } : { kind: 'ask' };
}

function decideCommand(mode: Mode, command: string, { commands }: Grants): Decision {
  const judged = judgeCommand(command, commands);
  const isReadOnly = mode === 'read-only';
  if (judged.kind === 'look')
    return { kind: 'allow', only: { reach: judged.reach, looks: true, or: isReadOnly ? 'deny' : 'ask' } };
  if (isReadOnly) return denied('shell');
  if (judged.kind === 'run') return { kind: 'allow', only: { reach: judged.reach, looks: false, or: 'ask' } };
  return judged.always === undefined ? { kind: 'ask' } : { kind: 'ask', always: judged.always.map(ruleText) };
}

function denied(tool: ToolName): Decision {
  return { kind: 'deny', reason: `Not run: this session is read-only and ${tool} could change something.` };
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
