/**
 * Renders the log's fold into what is sent (I2): pure, decides nothing about what stays. Calls are paired with their
 * results in the order of the calls, roles alternate, and the cache marks go on the tail that the previous request
 * ended with and on the newest tail. Appending events only appends blocks (I3); what would be sent is always valid (I12).
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { CacheMark, Prompt, PromptMessage, ToolDeclaration, UserBlock } from '../model/prompt.ts';
import type { SessionState, TranscriptItem } from '../session/fold.ts';
import { wellFormed } from '../text/utf8.ts';

type ResultItem = Extract<TranscriptItem, { kind: 'toolResult' }>;

/** What the model is told of a call whose outcome nobody knows (I9). */
export const unknownResult =
  'Interrupted, result unknown: the call may or may not have taken effect. Look before you repeat it.';

/** `cacheKey` is the hash of repository, model, tools and system that requests of one prefix share. */
export function renderPrompt(state: SessionState, cacheKey: string): Prompt {
  const messages = renderMessages(state.items, state.model);
  return {
    system: state.created.system,
    tools: JSON.parse(state.created.tools) as readonly ToolDeclaration[],
    messages,
    marks: placeMarks(messages),
    cacheKey,
  };
}

function renderMessages(items: readonly TranscriptItem[], model: string): readonly PromptMessage[] {
  const results = new Map<CallId, ResultItem>();
  for (const item of items) if (item.kind === 'toolResult') results.set(item.callId, item);
  const messages: PromptMessage[] = [];
  const sent = new Set<CallId>();
  for (const item of items) {
    if (item.kind === 'message') addUser(messages, messageBlocks(item));
    if (item.kind === 'answer') addAnswer(messages, unsent(item.content, item.model === model, sent), results);
  }
  return messages;
}

/** One block a message, with the facts of the moment in front: not every endpoint takes several texts in a row. */
function messageBlocks(item: Extract<TranscriptItem, { kind: 'message' }>): readonly UserBlock[] {
  const text = item.facts === undefined ? item.text : `${item.facts}\n\n${item.text}`;
  return [{ kind: 'text', text: wellFormed(text) }];
}

/** The blocks of an answer that go back; each call once, whatever an old log holds. */
function unsent(content: readonly AssistantBlock[], sameModel: boolean, sent: Set<CallId>): readonly AssistantBlock[] {
  return content.filter((block) => {
    if (block.kind === 'opaque') return sameModel;
    if (block.kind === 'text') return block.text.trim() !== '';
    const first = !sent.has(block.callId);
    sent.add(block.callId);
    return first;
  });
}

function addAnswer(
  messages: PromptMessage[],
  blocks: readonly AssistantBlock[],
  results: ReadonlyMap<CallId, ResultItem>,
): void {
  // Reasoning alone is no message: providers refuse an answer that says nothing.
  if (!blocks.some((block) => block.kind !== 'opaque')) return;
  const last = messages.at(-1);
  if (last?.role === 'assistant')
    messages[messages.length - 1] = { role: 'assistant', blocks: [...last.blocks, ...blocks] };
  else messages.push({ role: 'assistant', blocks });
  const calls = blocks.flatMap((block) => (block.kind === 'toolCall' ? [block.callId] : []));
  addUser(
    messages,
    calls.map((callId) => resultBlock(callId, results.get(callId))),
  );
}

function resultBlock(callId: CallId, result: ResultItem | undefined): UserBlock {
  if (!result) return { kind: 'toolResult', callId, text: unknownResult, isError: true };
  return { kind: 'toolResult', callId, text: wellFormed(result.shown), isError: result.outcome !== 'ok' };
}

/** Joins with a user message that is last already, so that roles alternate. */
function addUser(messages: PromptMessage[], blocks: readonly UserBlock[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', blocks: [...last.blocks, ...blocks] };
  else messages.push({ role: 'user', blocks });
}

/** The tail before the newest answer is where the previous request left its entry; the newest tail leaves the next. */
function placeMarks(messages: readonly PromptMessage[]): readonly CacheMark[] {
  const newest = messages.findLastIndex((message) => message.role === 'user');
  const answered = messages.findLastIndex((message, i) => i < newest && message.role === 'assistant');
  return [answered - 1, newest].flatMap((message) => markOn(messages, message));
}

function markOn(messages: readonly PromptMessage[], index: number): readonly CacheMark[] {
  const message = messages[index];
  return message ? [{ message: index, block: message.blocks.length - 1 }] : [];
}
