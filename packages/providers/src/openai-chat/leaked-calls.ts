/**
 * Reads calls that arrive as text at the end of an answer, around the wire's decoder. Invariant: an answer that has calls
 * of its own or did not end by itself is left as it is; so is one whose text only looks like calls (F-08 holds as ever).
 */
import type { Answer, ModelEvent } from '@zerd/core/model/answer';
import { findLeakedCalls } from '@zerd/core/model/leaked-call';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Decoder } from '../decoder.ts';
import { listOf, objectOf, textOf } from '../json/fields.ts';
import { toolCallBlock } from '../tool-call.ts';

type Tools = Parameters<typeof findLeakedCalls>[1];

/** The tools are those that `body` declares. */
export function readingLeakedCalls<S>(decoder: Decoder<S>, body: JsonObject): Decoder<S> {
  const tools = declaredIn(body);
  if (tools.length === 0) return decoder;
  const read = (event: ModelEvent): ModelEvent =>
    event.kind === 'finished' ? { kind: 'finished', answer: withCalls(event.answer, tools) } : event;
  return {
    initialState: decoder.initialState,
    decode(state, chunk) {
      const [next, events] = decoder.decode(state, chunk);
      return [next, events.map(read)];
    },
    atEnd: (state) => decoder.atEnd(state).map(read),
  };
}

function declaredIn(body: JsonObject): Tools {
  return listOf(body, 'tools').flatMap((tool) => {
    const name = textOf(objectOf(tool, 'function'), 'name');
    const inputSchema = objectOf(objectOf(tool, 'function'), 'parameters');
    return name === undefined || inputSchema === undefined ? [] : [{ name, inputSchema }];
  });
}

function withCalls(answer: Answer, tools: Tools): Answer {
  const last = answer.content.at(-1);
  const hasCalls = answer.content.some((block) => block.kind === 'toolCall');
  if (answer.stopReason !== 'end' || hasCalls || last?.kind !== 'text') return answer;
  const found = findLeakedCalls(last.text, tools);
  if (found === undefined) return answer;
  const before: readonly AssistantBlock[] = found.before === '' ? [] : [{ kind: 'text', text: found.before }];
  const calls = found.calls.map(({ name, inputJson }, i) =>
    toolCallBlock({ id: '', name, json: inputJson, cut: false }, i),
  );
  return { ...answer, content: [...answer.content.slice(0, -1), ...before, ...calls], stopReason: 'toolUse' };
}
