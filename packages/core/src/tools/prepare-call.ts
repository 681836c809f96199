/**
 * Decides what becomes of a call before anything runs: refused with a text for the model, asked, or run. Refusal,
 * unknown tool and bad arguments share one path, so that every call gets a result (I12).
 */

import type { ToolOutcome } from '@zerd/protocol/common/event';
import type { Mode } from '@zerd/protocol/common/mode';
import type { z } from 'zod';
import { type Decision, decide, type ReadGrants } from '../permissions/decide.ts';
import { declares, isToolName, type ToolInput, type ToolName, toolInputs, toolNames } from './declarations.ts';

export type PreparedCall =
  | { readonly kind: 'refuse'; readonly outcome: Extract<ToolOutcome, 'failed' | 'denied'>; readonly text: string }
  | (Permission & { readonly name: ToolName; readonly input: ToolInput<ToolName> });

type Permission =
  | Extract<Decision, { kind: 'ask' }>
  | (Omit<Extract<Decision, { kind: 'allow' }>, 'kind'> & { readonly kind: 'run' });

export interface CallToPrepare {
  readonly name: string;
  readonly inputJson: string;
  readonly broken: string | undefined;
}

export interface CallSetting {
  readonly mode: Mode;
  /** The tools that the session froze; absent: those that it calls. */
  readonly declared?: string;
  readonly grants?: ReadGrants | undefined;
}

export function prepareCall(call: CallToPrepare, { mode, declared, grants }: CallSetting): PreparedCall {
  if (call.broken !== undefined) return refuse(`Not run: ${call.broken}. Send the call again, whole.`);
  if (!isToolName(call.name) || isAbsent(call.name, declared))
    return refuse(`Not run: there is no tool ${JSON.stringify(call.name)}. Tools: ${namesText(declared)}.`);
  const parsed = parseInput(call.name, call.inputJson);
  if (parsed.kind === 'bad') return refuse(`Not run: ${parsed.problem}`);
  const decision = decide(mode, call.name, parsed.input, grants);
  if (decision.kind === 'deny') return { kind: 'refuse', outcome: 'denied', text: decision.reason };
  const wish = { name: call.name, input: parsed.input };
  return decision.kind === 'ask' ? { ...decision, ...wish } : { ...decision, kind: 'run', ...wish };
}

/** Of sessions that began without servers. */
function isAbsent(name: ToolName, declared: string | undefined): boolean {
  return name === 'mcp' && declared !== undefined && !declares(declared, 'mcp');
}

function namesText(declared = '[]'): string {
  return toolNames.filter((name) => name !== 'mcp' || declares(declared, 'mcp')).join(', ');
}

function refuse(text: string): PreparedCall {
  return { kind: 'refuse', outcome: 'failed', text };
}

type Parsed =
  | { readonly kind: 'ok'; readonly input: ToolInput<ToolName> }
  | { readonly kind: 'bad'; readonly problem: string };

function parseInput(name: ToolName, inputJson: string): Parsed {
  let value: unknown;
  try {
    value = inputJson.trim() === '' ? {} : JSON.parse(inputJson);
  } catch {
    return { kind: 'bad', problem: `the arguments of ${name} are not JSON. Send the call again, whole.` };
  }
  const checked = toolInputs[name].safeParse(name === 'mcp' ? unwrapped(value) : value);
  if (checked.success) return { kind: 'ok', input: checked.data };
  return { kind: 'bad', problem: `the arguments of ${name} do not fit: ${describe(checked.error)}.` };
}

/** Some models write an object within their arguments as JSON text. */
function unwrapped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('arguments' in value)) return value;
  if (typeof value.arguments !== 'string') return value;
  try {
    return { ...value, arguments: JSON.parse(value.arguments) };
  } catch {
    // The check of the arguments says what is wrong.
    return value;
  }
}

/** The first few problems, each with its place. */
function describe(error: z.ZodError): string {
  const problems = error.issues.slice(0, 3).map((issue) => {
    const place = issue.path.join('.');
    return place ? `${place}: ${issue.message}` : issue.message;
  });
  return problems.join('; ');
}
