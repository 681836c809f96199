/** Faults of what the model says: they change the step before it is spoken. */
import type { Step, StepCall } from '../players/player.ts';
import type { ContentFault, Fault } from './fault.ts';

const defaultInputBytes = 20 * 1024 * 1024;

export function spoilStep(step: Step, faults: readonly Fault[]): Step {
  return faults.reduce(spoil, step);
}

function spoil(step: Step, fault: Fault | ContentFault): Step {
  switch (fault.kind) {
    case 'duplicate-ids':
      return withCalls(step, (call) => ({ ...call, id: 'call_twice' }), 2);
    case 'unknown-tool':
      return withCalls(step, (call) => ({ ...call, name: fault.name ?? 'teleport' }), 1);
    case 'huge-input':
      return withCalls(step, (call) => ({ ...call, inputText: hugeInput(fault.bytes ?? defaultInputBytes) }), 1);
    case 'cut-input':
      return withCalls(step, (call) => ({ ...call, inputText: half(textOf(call)) }), 1);
    case 'cut':
      return fault.at === 'utf8' ? { ...step, text: `${step.text ?? ''}é…` } : step;
    default:
      return step;
  }
}

/** Changes every call; a step with fewer than `least` repeats its last one, or gets calls that do no harm. */
function withCalls(step: Step, change: (call: StepCall) => StepCall, least: number): Step {
  const calls = [...(step.calls ?? [])];
  while (calls.length < least) calls.push(calls.at(-1) ?? { name: 'shell', input: { command: 'true' } });
  return { ...step, calls: calls.map(change) };
}

function textOf(call: StepCall): string {
  return call.inputText ?? JSON.stringify(call.input ?? {});
}

/** JSON that stops inside its last string. */
function half(text: string): string {
  return text.slice(0, Math.max(1, Math.floor(text.length / 2)));
}

/** Exactly so many bytes of valid JSON. */
function hugeInput(bytes: number): string {
  const frame = JSON.stringify({ command: '' }).length;
  return JSON.stringify({ command: 'x'.repeat(Math.max(0, bytes - frame)) });
}
