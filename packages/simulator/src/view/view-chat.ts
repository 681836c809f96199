/** Reads a Chat Completions body. Tool messages are results of the user's side; system and developer messages are the system text. */
import { type Json, objectsOf, stringOf } from '../wire.ts';
import { imagesIn } from './images-in.ts';
import { appendParts, type RequestView, type ViewMessage, type ViewPart } from './request-view.ts';

export function viewChat(body: Json): RequestView {
  const messages: ViewMessage[] = [];
  const system: string[] = [];
  for (const message of objectsOf(body.messages)) {
    if (isSystem(message)) system.push(textOf(message.content));
    else appendParts(messages, message.role === 'assistant' ? 'assistant' : 'user', partsOf(message));
  }
  return {
    wire: 'chat',
    model: stringOf(body.model),
    system: system.join('\n'),
    tools: objectsOf(body.tools).map((tool) => stringOf((tool.function as Json | undefined)?.name)),
    messages,
    stream: body.stream === true,
  };
}

export function isSystem(message: Json): boolean {
  return message.role === 'system' || message.role === 'developer';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((part) => stringOf(part.text))
    .join('\n');
}

function partsOf(message: Json): readonly ViewPart[] {
  if (message.role === 'tool') {
    const callId = stringOf(message.tool_call_id);
    return [{ kind: 'result', callId, text: textOf(message.content), isError: false }];
  }
  const reasoning = stringOf(message.reasoning_content);
  return [
    ...(reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    ...textParts(message.content),
    ...objectsOf(message.tool_calls).map(callOf),
  ];
}

function textParts(content: unknown): readonly ViewPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return objectsOf(content).flatMap((part): readonly ViewPart[] =>
    part.type === 'image_url' ? imagesIn([part]) : [{ kind: 'text', text: stringOf(part.text) }],
  );
}

function callOf(call: Json): ViewPart {
  const fn = (call.function ?? {}) as Json;
  return {
    kind: 'call',
    id: stringOf(call.id),
    name: stringOf(fn.name),
    input: parsed(stringOf(fn.arguments)),
  };
}

/** Arguments that are no JSON stay text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
