/**
 * The tools as the model sees them. Each argument object is strict: an unknown field is refused, and none of them can
 * widen what the session may do. Their bytes are part of every request: the budget test says when they grow too long.
 */

import type { JsonObject } from '@zerd/protocol/common/json';
import { z } from 'zod';
import type { ToolDeclaration } from '../model/prompt.ts';

const path = z.string().min(1).describe('relative to the workspace');

export const toolInputs = {
  read: z.strictObject({
    path,
    offset: z.int().min(1).optional().describe('first line, from 1'),
    limit: z.int().min(1).optional().describe('lines'),
  }),
  write: z.strictObject({ path, content: z.string() }),
  edit: z.strictObject({
    path,
    old: z.string().min(1),
    new: z.string(),
    all: z.boolean().optional().describe('replace every match'),
  }),
  search: z.strictObject({
    pattern: z.string().min(1).describe('regular expression (Rust syntax)'),
    path: z.string().min(1).optional(),
    glob: z.string().min(1).optional(),
    literal: z.boolean().optional(),
    ignoreCase: z.boolean().optional(),
    context: z.int().min(0).max(20).optional().describe('lines around a match'),
  }),
  find: z.strictObject({ pattern: z.string().min(1).describe('glob, or part of a path') }),
  shell: z.strictObject({ command: z.string().min(1), timeoutMs: z.int().min(1).optional() }),
  recall: z.strictObject({
    id: z.string().min(1),
    pattern: z.string().min(1).optional().describe('regular expression'),
    offset: z.int().min(1).optional().describe('first line, from 1'),
    limit: z.int().min(1).optional().describe('lines'),
  }),
  notes: z.strictObject({
    goal: z.string().optional(),
    decisions: z.string().optional(),
    done: z.string().optional(),
    next: z.string().optional(),
  }),
  todo: z.strictObject({ list: z.string() }),
  skill: z.strictObject({ name: z.string().min(1) }),
  jobs: z.strictObject({
    action: z.enum(['list', 'wait', 'tail', 'stop', 'write']),
    id: z.string().min(1).optional(),
    text: z.string().optional(),
    timeoutMs: z.int().min(1).optional(),
  }),
  task: z.strictObject({ prompt: z.string().min(1), title: z.string().optional(), write: z.boolean().optional() }),
  question: z.strictObject({ text: z.string().min(1), options: z.array(z.string().min(1)).optional() }),
  mcp: z.strictObject({
    tool: z.string().min(1).optional().describe('server/name'),
    arguments: z.record(z.string(), z.unknown()).optional(),
    find: z.string().optional().describe('words'),
  }),
} as const;

export type ToolName = keyof typeof toolInputs;
export type ToolInput<N extends ToolName> = z.output<(typeof toolInputs)[N]>;

const descriptions: Readonly<Record<ToolName, string>> = {
  read: 'Read a text file. Long files come in part, with what is left out named.',
  write: 'Create a file or replace all of it.',
  edit: 'Replace `old`, which must match exactly once (or use `all`), by `new`.',
  search: 'Search file contents. Ignored and hidden files are skipped unless `path` names them.',
  find: 'Find files by path.',
  shell: 'Run a command with bash in the workspace. No input, no tty.',
  recall: 'Show archived output again: a range, or the lines that match.',
  notes: 'Keep facts for later. Given sections replace the old.',
  todo: 'Plan: one `[ ] step` a line, `[>]` in progress, `[x]` done. Replaces the old.',
  skill: 'Load a skill by name.',
  jobs: 'Commands running in the background.',
  task: 'Give self-contained work to a sub-agent; only its answer returns. Several in one answer run side by side.',
  question: 'Ask the user and wait.',
  mcp: 'Call an outside `tool` with its `arguments`, or `find` tools with their descriptions and schemas.',
};

export const toolNames = Object.keys(toolInputs) as readonly ToolName[];

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolInputs, name);
}

/** Whether the tools that a session froze have one of this name. */
export function declares(tools: string, name: ToolName): boolean {
  return (JSON.parse(tools) as readonly ToolDeclaration[]).some((tool) => tool.name === name);
}

/** The declarations in their fixed order; `without`: what a session has no use for. */
export function declareTools(without: readonly ToolName[] = []): readonly ToolDeclaration[] {
  const names = toolNames.filter((name) => !without.includes(name));
  return names.map((name) => ({ name, description: descriptions[name], inputSchema: schemaOf(name) }));
}

function schemaOf(name: ToolName): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(toolInputs[name], { io: 'input' }) as Record<string, unknown>;
  return withoutBounds(schema) as JsonObject;
}

const bounds: ReadonlySet<string> = new Set(['minLength', 'minimum', 'maximum']);

/** Every name of JSON is a string. */
function isBound(key: string, value: unknown): boolean {
  return (bounds.has(key) && typeof value === 'number') || (key === 'propertyNames' && typeof value === 'object');
}

/** Bounds are checked when a call comes in; on the wire they are bytes of every request that teach the model nothing. */
function withoutBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, v]) => !isBound(key, v));
  return Object.fromEntries(kept.map(([key, v]) => [key, withoutBounds(v)]));
}
