/** Reads a script: JSON `{"name", "model"?, "steps": [...], "faults"?: [...], "cacheTtlMs"?}`. A wrong one is refused with what is wrong. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FaultRule } from '../faults/fault.ts';
import { isObject } from '../wire.ts';
import type { Step } from './player.ts';

export interface Script {
  readonly name: string;
  /** The model that it was written for; the gateway alone plays it for any. */
  readonly model?: string;
  readonly steps: readonly Step[];
  readonly faults?: readonly FaultRule[];
  readonly cacheTtlMs?: number;
}

/** `file` is a path, or the bare name of a script that ships with the simulator ('repair'). */
export function readScript(file: string): Script {
  const shipped = /^[a-z0-9-]+$/.test(file);
  const path = shipped ? fileURLToPath(new URL(`../../scripts/${file}.json`, import.meta.url)) : file;
  return parseScript(readFileSync(path, 'utf8'), file);
}

export function parseScript(text: string, file: string): Script {
  const script = parsed(text, file);
  if (!isObject(script) || typeof script.name !== 'string' || !Array.isArray(script.steps)) {
    throw new Error(`${file}: a script is {"name": "...", "steps": [...]}`);
  }
  const wrong = script.steps.findIndex((step) => !isStep(step));
  if (wrong !== -1) {
    throw new Error(
      `${file}: step ${wrong + 1} is none; a step has text, reasoning or calls [{"name": "...", "input": {...}}]`,
    );
  }
  return script as unknown as Script;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file}: not JSON`, { cause });
  }
}

const fields: readonly string[] = [
  'reasoning',
  'text',
  'calls',
  'stop',
  'fault',
  'faultTimes',
  'usage',
  'advanceMs',
  'fix',
];

function isStep(step: unknown): boolean {
  if (!isObject(step) || Object.keys(step).some((key) => !fields.includes(key))) return false;
  const calls = step.calls ?? [];
  return Array.isArray(calls) && calls.every((call) => isObject(call) && typeof call.name === 'string');
}
