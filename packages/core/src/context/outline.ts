/**
 * Tells people what a prompt holds, block by block: how large each is, what it begins with, and whether a trim left only
 * an excerpt. Invariant: it agrees with the prompt, block for block.
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import { imageWords } from '@zerd/protocol/common/image-words';
import type { PromptOutline } from '@zerd/protocol/common/methods';
import type { Prompt, UserBlock } from '../model/prompt.ts';
import type { SessionState } from '../session/state.ts';
import { clipUtf8, utf8Length } from '../text/utf8.ts';
import { type VisibleResults, visibleResults } from './visible.ts';

type OutlineBlock = PromptOutline['messages'][number]['blocks'][number];

const aboutBytes = 160;

export function outlineOf(prompt: Prompt, state: SessionState): PromptOutline {
  const results = visibleResults(state);
  const summary = state.compactions.newest !== undefined && prompt.tools.length > 0;
  return {
    system: { bytes: utf8Length(prompt.system), about: begin(prompt.system) },
    tools: prompt.tools.map((tool) => ({ name: tool.name, bytes: utf8Length(JSON.stringify(tool)) })),
    messages: prompt.messages.map(({ role, blocks }, message) => ({
      role,
      blocks: blocks.map((block, place): OutlineBlock => {
        const marked = prompt.marks.some((mark) => mark.message === message && mark.block === place);
        const own = outlineBlock(block, results);
        const named = summary && message === 0 && place === 0 ? { ...own, kind: 'summary' as const } : own;
        return marked ? { ...named, marked } : named;
      }),
    })),
  };
}

function outlineBlock(block: UserBlock | AssistantBlock, results: VisibleResults): OutlineBlock {
  switch (block.kind) {
    case 'text':
      return { kind: 'text', bytes: utf8Length(block.text), about: begin(block.text) };
    case 'image':
      return { kind: 'image', bytes: block.image.bytes, about: begin(imageWords(block.image)) };
    case 'opaque':
      return { kind: 'reasoning', bytes: utf8Length(block.json), about: '' };
    case 'toolCall': {
      const about = begin(`${block.name} ${block.inputJson}`);
      const stub = results.get(block.callId)?.arguments === 'stub';
      return { kind: 'toolCall', bytes: utf8Length(block.inputJson), about, ...call(block.callId, results, stub) };
    }
    case 'toolResult': {
      const stub = results.get(block.callId)?.result === 'stub';
      const about = begin(block.text);
      const bytes = (block.images ?? []).reduce((sum, image) => sum + image.bytes, utf8Length(block.text));
      return { kind: 'toolResult', bytes, about, ...call(block.callId, results, stub) };
    }
  }
}

function call(callId: CallId, results: VisibleResults, stub: boolean) {
  const number = results.get(callId)?.number;
  return { callId, ...(number === undefined ? {} : { number }), ...(stub ? { stub } : {}) };
}

/** The first line that says something. */
function begin(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  const clipped = clipUtf8(line, aboutBytes);
  return clipped.length < line.length ? `${clipped}…` : clipped;
}
