/** Names images in the place where they would stand, for a prompt that is sent without them. Pure. */
import type { Image } from '@zerd/protocol/common/image';
import { imageWords } from '@zerd/protocol/common/image-words';
import type { Prompt, PromptMessage, UserBlock } from '../model/prompt.ts';
import { wellFormed } from '../text/utf8.ts';

export function namedImage(image: Image, why: string): string {
  return wellFormed(`[image ${imageWords(image)}: ${why}]`);
}

/** A text ends with what it names: where it is empty, that is all. */
export function withNames(text: string, names: readonly string[]): string {
  return [...(text === '' ? [] : [text]), ...names].join('\n');
}

/** Every image as a text; what has none stays the same object. */
export function nameImages(prompt: Prompt, why: string): Prompt {
  if (!prompt.messages.some(({ blocks }) => blocks.some(hasImage))) return prompt;
  return { ...prompt, messages: prompt.messages.map((message) => named(message, why)) };
}

function named(message: PromptMessage, why: string): PromptMessage {
  if (message.role === 'assistant' || !message.blocks.some(hasImage)) return message;
  return { role: 'user', blocks: message.blocks.map((block) => namedBlock(block, why)) };
}

function namedBlock(block: UserBlock, why: string): UserBlock {
  if (block.kind === 'image') return { kind: 'text', text: namedImage(block.image, why) };
  if (block.kind === 'text' || block.images === undefined) return block;
  const { images, ...result } = block;
  const names = images.map((image) => namedImage(image, why));
  return { ...result, text: withNames(block.text, names) };
}

function hasImage(block: PromptMessage['blocks'][number]): boolean {
  return block.kind === 'image' || (block.kind === 'toolResult' && block.images !== undefined);
}
