/**
 * Turns a prompt into the body of a stateless Responses request. Invariants: same prompt, same bytes; an input item's
 * bytes depend on its own message alone, the cache breakpoint aside (I3); nothing is stored and nothing is referred to.
 */
import type { ModelSettings, Prompt, PromptMessage, UserBlock } from '@zerd/core/model/prompt';
import { wellFormed } from '@zerd/core/text/utf8';
import type { Image } from '@zerd/protocol/common/image';
import type { JsonObject } from '@zerd/protocol/common/json';
import { imageUrl, shownFor } from '../images.ts';
import { wellFormedJson } from '../json/fields.ts';
import { encodeAnswer } from './answer-items.ts';
import type { ResponsesTraits } from './traits.ts';

/** The API refuses less. */
const leastOutput = 16;
/** The API takes no longer key. */
const longestKey = 64;

export function encode(prompt: Prompt, settings: ModelSettings, traits: ResponsesTraits): JsonObject {
  return {
    model: settings.modelId,
    stream: true,
    store: false,
    ...(traits.codex ? codexParameters : {}),
    ...(traits.codex || traits.plan ? {} : { max_output_tokens: Math.max(settings.maxOutput, leastOutput) }),
    // Newer models give it unasked, older ones and other servers only on request.
    ...(traits.reasons ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(traits.summarises ? { reasoning: { summary: 'auto' } } : {}),
    ...(traits.sendsCacheKey ? { prompt_cache_key: prompt.cacheKey.slice(0, longestKey) } : {}),
    ...comparison(prompt, traits),
    ...(prompt.tools.length > 0 ? { tools: encodeTools(prompt) } : {}),
    input: [
      ...encodeSystem(prompt.system, traits),
      ...prompt.messages.flatMap((message) => encodeMessage(message, traits)),
    ],
  };
}

/** What ChatGPT's backend is always sent (2026-11); an answer's tokens are its user's quota: few words. */
const codexParameters: JsonObject = { text: { verbosity: 'low' }, tool_choice: 'auto', parallel_tool_calls: true };

/** Best effort on the provider's side, and the first answer has nothing before it. */
function comparison({ previousResponseId }: Prompt, { diagnoses }: ResponsesTraits): JsonObject {
  if (!diagnoses || previousResponseId === undefined) return {};
  return { prompt_cache_options: { comparison_response_id: previousResponseId } };
}

/** Not strict: strict schemas know no optional fields. Absent, `strict` would be true. */
function encodeTools(prompt: Prompt): readonly JsonObject[] {
  return prompt.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description: wellFormed(description),
    parameters: wellFormedJson(inputSchema),
    strict: false,
  }));
}

/**
 * Never `instructions`: they are cached badly, and from GPT-6.2 on they stand behind the input (2026-11). The breakpoint
 * makes an entry that other sessions find; at the tail newer models set one by themselves.
 */
function encodeSystem(system: string, traits: ResponsesTraits): readonly JsonObject[] {
  if (system.trim() === '') return [];
  const mark = traits.explicitBreakpoint ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {};
  return [message('developer', { type: 'input_text', text: wellFormed(system), ...mark })];
}

function encodeMessage(of: PromptMessage, traits: ResponsesTraits): readonly JsonObject[] {
  if (of.role === 'assistant') return encodeAnswer(of.blocks);
  const results = of.blocks.filter((block) => block.kind === 'toolResult');
  return [
    ...results.map((result) => encodeOutput(result, traits)),
    ...(traits.imageOutputs ? [] : results.flatMap(imagesBehind)),
    ...of.blocks.flatMap(encodeUser),
  ];
}

type Result = Extract<UserBlock, { kind: 'toolResult' }>;

/** One text is a string, which is what it was before there were images. */
function encodeOutput({ callId, text, images = [] }: Result, { imageOutputs }: ResponsesTraits): JsonObject {
  const said = wellFormed(text);
  const parts = [{ type: 'input_text', text: said }, ...images.map(encodeImage)];
  return { type: 'function_call_output', call_id: callId, output: imageOutputs && images.length > 0 ? parts : said };
}

function imagesBehind({ images = [] }: Result): readonly JsonObject[] {
  return images.map((image) => message('user', { type: 'input_text', text: shownFor(image) }, encodeImage(image)));
}

/** An item a block: what is appended to a message changes no item before it. */
function encodeUser(block: UserBlock): readonly JsonObject[] {
  if (block.kind === 'image') return [message('user', encodeImage(block.image))];
  if (block.kind === 'toolResult') return [];
  const text = wellFormed(block.text);
  return text.trim() === '' ? [] : [message('user', { type: 'input_text', text })];
}

function encodeImage(image: Image): JsonObject {
  return { type: 'input_image', image_url: imageUrl(image), detail: 'auto' };
}

function message(role: 'developer' | 'user', ...content: readonly JsonObject[]): JsonObject {
  return { type: 'message', role, content };
}
