/** Reads a Messages body. Parts that it does not know are left out of the view; judging them is not its business. */
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { imagesIn } from './images-in.ts';
import { appendParts, type RequestView, type ViewMessage, type ViewPart } from './request-view.ts';

export function viewAnthropic(body: Json): RequestView {
  const messages: ViewMessage[] = [];
  for (const message of objectsOf(body.messages)) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    appendParts(messages, role, blocksOf(message.content).flatMap(partOf));
  }
  return {
    wire: 'anthropic',
    model: stringOf(body.model),
    system: textOf(body.system),
    tools: objectsOf(body.tools).map((tool) => stringOf(tool.name)),
    messages,
    stream: body.stream === true,
  };
}

function blocksOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

function textOf(content: unknown): string {
  return blocksOf(content)
    .filter((block) => block.type !== 'image')
    .map((block) => stringOf(block.text))
    .join('\n');
}

function partOf(block: Json): readonly ViewPart[] {
  switch (block.type) {
    case 'text':
      return [{ kind: 'text', text: stringOf(block.text) }];
    case 'thinking':
      return [{ kind: 'reasoning', text: stringOf(block.thinking) }];
    case 'tool_use':
      return [{ kind: 'call', id: stringOf(block.id), name: stringOf(block.name), input: block.input }];
    case 'tool_result':
      return [resultOf(block), ...imagesIn(block.content)];
    case 'image':
      return imagesIn([block]);
    default:
      return [];
  }
}

function resultOf(block: Json): ViewPart {
  const isError = isObject(block) && block.is_error === true;
  return { kind: 'result', callId: stringOf(block.tool_use_id), text: textOf(block.content), isError };
}
