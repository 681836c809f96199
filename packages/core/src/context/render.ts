/**
 * Renders the log's fold into what is sent (I2): pure, decides nothing about what stays. Calls are paired with their
 * results in the order of the calls, roles alternate, and the cache marks go on the last block that the newest trim made
 * final, on the tail that the previous request ended with and on the newest tail. Appending events only appends blocks,
 * a trim aside (I3); what would be sent is always valid (I12).
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId, RequestId } from '@zerd/protocol/common/ids';
import type { CacheMark, Prompt, PromptMessage, ToolDeclaration, UserBlock } from '../model/prompt.ts';
import type { SessionState, TranscriptItem } from '../session/fold.ts';
import type { Trims } from '../session/trims.ts';
import { wellFormed } from '../text/utf8.ts';
import { clearedInput, clearedResult } from './cleared.ts';

type ResultItem = Extract<TranscriptItem, { kind: 'toolResult' }>;

/** What the model is told of a call whose outcome nobody knows (I9). */
export const unknownResult =
  'Interrupted, result unknown: the call may or may not have taken effect. Look before you repeat it.';

/** `cacheKey` is the hash of repository, model, tools and system that requests of one prefix share. */
export function renderPrompt(state: SessionState, cacheKey: string): Prompt {
  const { messages, tails } = renderMessages(state);
  return {
    system: state.created.system,
    tools: JSON.parse(state.created.tools) as readonly ToolDeclaration[],
    messages,
    marks: placeMarks(state, messages, tails),
    cacheKey,
  };
}

/** Where each answered request's prompt ended. */
type Tails = ReadonlyMap<RequestId, CacheMark>;

function renderMessages(state: SessionState): { readonly messages: readonly PromptMessage[]; readonly tails: Tails } {
  const { items, model, trims, compactions } = state;
  const results = new Map<CallId, ResultItem>();
  for (const item of items) if (item.kind === 'toolResult') results.set(item.callId, item);
  const messages: PromptMessage[] = [];
  const tails = new Map<RequestId, CacheMark>();
  const sent = new Set<CallId>();
  if (compactions.newest) addUser(messages, [{ kind: 'text', text: wellFormed(compactions.newest.summary) }]);
  for (const item of items) {
    if (item.kind === 'message') addUser(messages, messageBlocks(item));
    if (item.kind === 'note' && !trims.clearedNotes.has(item.seq))
      addUser(messages, [{ kind: 'text', text: wellFormed(item.text) }]);
    if (item.kind === 'reminder') addUser(messages, [{ kind: 'text', text: framed(wellFormed(item.text)) }]);
    if (item.kind !== 'answer') continue;
    for (const mark of markOn(messages, messages.length - 1)) tails.set(item.requestId, mark);
    const keepsReasoning = item.model === model && item.seq >= trims.reasoningFrom;
    addAnswer(messages, unsent(item.content, keepsReasoning, sent), results, trims);
  }
  return { messages, tails };
}

/** One block a message, with the facts of the moment in front: not every endpoint takes several texts in a row. */
function messageBlocks(item: Extract<TranscriptItem, { kind: 'message' }>): readonly UserBlock[] {
  const text = item.facts === undefined ? item.text : `${item.facts}\n\n${item.text}`;
  return [{ kind: 'text', text: wellFormed(text) }];
}

/** What it quotes cannot end the frame. */
function framed(text: string): string {
  return `<system-reminder>\n${text.replace(/<(?=\/?system-reminder)/gi, '&lt;')}\n</system-reminder>`;
}

/** The blocks of an answer that go back; each call once, whatever an old log holds. */
function unsent(
  content: readonly AssistantBlock[],
  keepsReasoning: boolean,
  sent: Set<CallId>,
): readonly AssistantBlock[] {
  return content.filter((block) => {
    if (block.kind === 'opaque') return keepsReasoning;
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
  trims: Trims,
): void {
  // Reasoning alone is no message: providers refuse an answer that says nothing.
  if (!blocks.some((block) => block.kind !== 'opaque')) return;
  const shown = blocks.map((block) => clearedCall(block, trims));
  const last = messages.at(-1);
  if (last?.role === 'assistant')
    messages[messages.length - 1] = { role: 'assistant', blocks: [...last.blocks, ...shown] };
  else messages.push({ role: 'assistant', blocks: shown });
  const calls = blocks.flatMap((block) => (block.kind === 'toolCall' ? [block.callId] : []));
  addUser(
    messages,
    calls.map((callId) => resultBlock(callId, results.get(callId), trims)),
  );
}

function clearedCall(block: AssistantBlock, { inputs }: Trims): AssistantBlock {
  const archiveId = block.kind === 'toolCall' ? inputs.get(block.callId) : undefined;
  if (block.kind !== 'toolCall' || archiveId === undefined) return block;
  return { ...block, inputJson: clearedInput(block.name, block.inputJson, archiveId) };
}

function resultBlock(callId: CallId, result: ResultItem | undefined, { results }: Trims): UserBlock {
  if (!result) return { kind: 'toolResult', callId, text: unknownResult, isError: true };
  const { shown, archiveId, outcome } = result;
  const isCut = archiveId !== undefined && results.has(callId);
  const text = wellFormed(isCut ? clearedResult(shown, archiveId) : shown);
  return { kind: 'toolResult', callId, text, isError: outcome !== 'ok' };
}

/** Joins with a user message that is last already, so that roles alternate. */
function addUser(messages: PromptMessage[], blocks: readonly UserBlock[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', blocks: [...last.blocks, ...blocks] };
  else messages.push({ role: 'user', blocks });
}

/**
 * The tail before the newest answer is where the previous request left its entry; the newest tail leaves the next. Right
 * after a trim that entry is void: there the mark goes where the last one survives.
 */
function placeMarks(state: SessionState, messages: readonly PromptMessage[], tails: Tails): readonly CacheMark[] {
  const newest = messages.findLastIndex((message) => message.role === 'user');
  const answered = messages.findLastIndex((message, i) => i < newest && message.role === 'assistant');
  const trim = state.trims.newest;
  const tailOf = (request: RequestId | undefined) => (request === undefined ? [] : (tails.get(request) ?? []));
  const isFresh = trim !== undefined && trim.seq > (state.items.findLast(({ kind }) => kind === 'answer')?.seq ?? 0);
  const before = isFresh ? tailOf(trim.entryAt) : markOn(messages, answered - 1);
  // A summary is what is final until a trim behind it makes more so.
  const final = trim === undefined && state.compactions.newest ? [{ message: 0, block: 0 }] : tailOf(trim?.keptFrom);
  return inOrder([final, before, markOn(messages, newest)].flat());
}

function markOn(messages: readonly PromptMessage[], index: number): readonly CacheMark[] {
  const message = messages[index];
  return message?.role === 'user' ? [{ message: index, block: message.blocks.length - 1 }] : [];
}

/** From the front on, each place once. */
function inOrder(marks: readonly CacheMark[]): readonly CacheMark[] {
  const sorted = [...marks].sort((a, b) => a.message - b.message || a.block - b.block);
  return sorted.filter(({ message, block }, i) => {
    const last = sorted[i - 1];
    return last?.message !== message || last.block !== block;
  });
}
