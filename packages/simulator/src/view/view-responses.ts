/** Reads a Responses body. Outputs of calls are results of the user's side; developer and system items are the system text. */
import { type Json, objectsOf, stringOf } from '../wire.ts';
import { imagesIn } from './images-in.ts';
import { appendParts, type RequestView, type ViewMessage, type ViewPart } from './request-view.ts';

export function viewResponses(body: Json): RequestView {
  const messages: ViewMessage[] = [];
  const system: string[] = [];
  for (const item of inputItems(body)) {
    if (isInstruction(item)) system.push(textOf(item.content));
    else appendParts(messages, isOutput(item) ? 'assistant' : 'user', partsOf(item));
  }
  return {
    wire: 'responses',
    model: stringOf(body.model),
    system: system.join('\n'),
    tools: objectsOf(body.tools).map((tool) => stringOf(tool.name)),
    messages,
    stream: body.stream === true,
  };
}

/** A plain string is the same as one message of the user. */
export function inputItems(body: Json): readonly Json[] {
  return typeof body.input === 'string'
    ? [{ type: 'message', role: 'user', content: body.input }]
    : objectsOf(body.input);
}

/** Messages may leave their type out. */
export function typeOf(item: Json): string {
  return item.type === undefined && item.role !== undefined ? 'message' : stringOf(item.type);
}

export function isInstruction(item: Json): boolean {
  return typeOf(item) === 'message' && (item.role === 'developer' || item.role === 'system');
}

/** Something that the model said. */
export function isOutput(item: Json): boolean {
  return (
    ['function_call', 'reasoning'].includes(typeOf(item)) || (typeOf(item) === 'message' && item.role === 'assistant')
  );
}

function partsOf(item: Json): readonly ViewPart[] {
  switch (typeOf(item)) {
    case 'message':
      return contentOf(item.content).flatMap((part): readonly ViewPart[] =>
        part.type === 'input_image' ? imagesIn([part]) : [{ kind: 'text', text: partText(part) }],
      );
    case 'reasoning':
      return [{ kind: 'reasoning', text: textOf(item.summary) }];
    case 'function_call':
      return [callOf(item)];
    case 'function_call_output':
      return [
        { kind: 'result', callId: stringOf(item.call_id), text: textOf(item.output), isError: false },
        ...imagesIn(item.output),
      ];
    default:
      return [];
  }
}

function contentOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ text: content }] : objectsOf(content);
}

function textOf(content: unknown): string {
  return contentOf(content)
    .filter((part) => part.type !== 'input_image')
    .map(partText)
    .join('\n');
}

function partText(part: Json): string {
  return stringOf(part.text) || stringOf(part.refusal);
}

/** Arguments that are no JSON stay text. */
function callOf(item: Json): ViewPart {
  const text = stringOf(item.arguments);
  const call = { kind: 'call', id: stringOf(item.call_id), name: stringOf(item.name) } as const;
  try {
    return { ...call, input: JSON.parse(text) as unknown };
  } catch {
    return { ...call, input: text };
  }
}
