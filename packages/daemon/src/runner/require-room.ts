/** Refuses a model whose window has no room beside what goes with every request, and says how to get more. */
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { viewSession } from '@zerd/core/context/relieve/session-view';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { WindowedModel } from './probed-windows.ts';

/** Tokens for the conversation below which not even a question and its answer fit. */
const leastRoom = 1_000;

/** Throws window_too_small; what becomes of what was said, the caller knows. An unknown window has room. */
export function requireRoom(model: WindowedModel, state: SessionState): void {
  const { contextWindow, ref, windowFrom = '' } = model;
  if (contextWindow === null) return;
  const facts = plannerModel(model);
  const { fixed } = viewSession(state, { model: facts, now: 0, window: 1, compacts: false }).view;
  if (fixed + leastRoom <= facts.ceiling) return;
  const who = windowFrom === '' ? `${ref} has` : `${windowFrom} gives ${ref}`;
  const takes = `zerd's instructions and tools, which go with every request, take about ${Math.round(fixed)} of them`;
  const text = `${who} a window of ${contextWindow} tokens, and ${takes}: too little is left to work in.`;
  throw new ZerdError('window_too_small', [text, ...(advice[windowFrom] ?? [])].join(' '));
}

/** What the servers call it (as of 2026-11-29). No request can set it: Ollama's endpoint ignores `num_ctx`. */
const advice: Readonly<Record<string, readonly string[]>> = {
  Ollama: [
    'Start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or set PARAMETER num_ctx in the Modelfile of the model, and try again.',
  ],
  'llama.cpp': ['Start the server with a larger --ctx-size and try again.'],
  'LM Studio': ['Load the model with a longer context length and try again.'],
  vLLM: ['Start the server with a larger --max-model-len and try again.'],
};
