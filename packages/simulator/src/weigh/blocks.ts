/**
 * Cuts a request into the blocks that are counted: each tool, each system block, each content block of a message (chat:
 * each message; responses: each input item, without id and status). A block's text is its JSON without escapes and
 * without cache marks; an image is counted by its size (Anthropic's older rule: pixels by 750) and told apart by its bytes;
 * the first block of a message carries the message's role in front. The tokens of a request are the
 * sum over its blocks: parameters are not counted.
 */
import { isSystem } from '../view/view-chat.ts';
import { inputItems, isInstruction } from '../view/view-responses.ts';
import { isObject, type Json, objectsOf } from '../wire.ts';
import { withoutImageBytes } from './image-tokens.ts';

export interface Block {
  readonly section: 'tools' | 'system' | 'messages';
  readonly text: string;
  /** The lifetime that a cache mark on it asks for. */
  readonly mark?: '5m' | '1h';
}

export function anthropicBlocks(body: Json): readonly Block[] {
  const blocks = [
    ...objectsOf(body.tools).map((tool) => blockOf('tools', tool)),
    ...contentOf(body.system).map((block) => blockOf('system', block)),
    ...objectsOf(body.messages).flatMap(messageBlocks),
  ];
  return isObject(body.cache_control) ? markLast(blocks, lifetimeOf(body.cache_control)) : blocks;
}

export function chatBlocks(body: Json): readonly Block[] {
  const messages = objectsOf(body.messages);
  const first = messages.findIndex((message) => !isSystem(message));
  const systems = first === -1 ? messages.length : first;
  return [
    ...objectsOf(body.tools).map((tool) => blockOf('tools', tool)),
    ...messages.map((message, i) => blockOf(i < systems ? 'system' : 'messages', message)),
  ];
}

/** `instructions` stand behind the input, as they do from GPT-6.2 on (2026-11). */
export function responsesBlocks(body: Json): readonly Block[] {
  const items = inputItems(body);
  const first = items.findIndex((item) => !isInstruction(item));
  const systems = first === -1 ? items.length : first;
  const { instructions } = body;
  return [
    ...objectsOf(body.tools).map((tool) => blockOf('tools', tool)),
    ...items.map(({ id: _, status: __, ...item }, i) => blockOf(i < systems ? 'system' : 'messages', item)),
    ...(typeof instructions === 'string' && instructions !== '' ? [blockOf('system', { instructions })] : []),
  ];
}

/** JSON whose strings are written as they are: what a tokenizer would see of the text, not of its escapes. */
export function unescapedJson(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(unescapedJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([key, member]) => !marks.includes(key) && member !== undefined);
  return `{${members.map(([key, member]) => `"${key}":${unescapedJson(member)}`).join(',')}}`;
}

const marks: readonly string[] = ['cache_control', 'prompt_cache_breakpoint'];

function messageBlocks(message: Json): readonly Block[] {
  return contentOf(message.content).map((block, i) => {
    const made = blockOf('messages', block);
    return i > 0 ? made : { ...made, text: `{"role":"${String(message.role)}","content":[${made.text}` };
  });
}

/** A plain string is the same as one text block. */
function contentOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

function blockOf(section: Block['section'], json: Json): Block {
  const mark = json.cache_control;
  return {
    section,
    text: unescapedJson(withoutImageBytes(json)),
    ...(isObject(mark) ? { mark: lifetimeOf(mark) } : {}),
  };
}

function lifetimeOf(mark: Json): '5m' | '1h' {
  return mark.ttl === '1h' ? '1h' : '5m';
}

/** A mark on the whole request stands on the last block that can carry one. */
function markLast(blocks: readonly Block[], mark: '5m' | '1h'): readonly Block[] {
  const at = blocks.findLastIndex((block) => !/"type":"(redacted_)?thinking"/.test(block.text.slice(0, 80)));
  return blocks.map((block, i) => (i === at ? { ...block, mark } : block));
}
