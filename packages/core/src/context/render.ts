/**
 * Renders the log's fold into what is sent (I2): pure, decides nothing about what stays. Calls are paired with their
 * results in the order of the calls, roles alternate, and the cache marks go on the last block that the newest trim made
 * final, on the tail that the previous request ended with and on the newest tail. Appending events only appends blocks,
 * a trim aside (I3); what would be sent is always valid (I12).
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import { imageWords } from '@zerd/protocol/common/image-words';
import type { CacheMark, Prompt, PromptMessage, ToolDeclaration, UserBlock } from '../model/prompt.ts';
import type { RefusedImages } from '../session/images.ts';
import type { SessionState, TranscriptItem } from '../session/state.ts';
import type { Trims } from '../session/trims.ts';
import { wellFormed } from '../text/utf8.ts';
import { clearedInput, clearedResult, shortId } from './cleared.ts';
import { endOf, placeMarks, type Tails } from './marks.ts';
import { namedImage, withNames } from './name-images.ts';

type ResultItem = Extract<TranscriptItem, { kind: 'toolResult' }>;

/** What the model is told of a call whose outcome nobody knows (I9). */
export const unknownResult =
  'Interrupted, result unknown: the call may or may not have taken effect. Look before you repeat it.';

/** `cacheKey` is the hash of repository, model, tools and system that requests of one prefix share. */
export function renderPrompt(state: SessionState, cacheKey: string): Prompt {
  const { messages, tails } = renderMessages(state);
  const { responseId } = sameProvider(state) ? (state.lastRequest ?? {}) : {};
  return {
    system: state.created.system,
    tools: JSON.parse(state.created.tools) as readonly ToolDeclaration[],
    messages,
    marks: placeMarks(state, messages, tails),
    cacheKey,
    ...(responseId === undefined ? {} : { previousResponseId: responseId }),
  };
}

/** Another one knows nothing of the last answer. Models are named provider/model. */
function sameProvider({ model, lastRequest }: SessionState): boolean {
  const providerOf = (ref: string) => ref.slice(0, ref.indexOf('/'));
  return lastRequest !== undefined && providerOf(lastRequest.model) === providerOf(model);
}

export interface Rendered {
  readonly messages: readonly PromptMessage[];
  /** Where each answered request's prompt ended. */
  readonly tails: Tails;
}

export function renderMessages(state: SessionState): Rendered {
  const { items, model, trims, compactions } = state;
  const results = new Map<CallId, ResultItem>();
  for (const item of items) if (item.kind === 'toolResult') results.set(item.callId, item);
  const messages: PromptMessage[] = [];
  const tails = new Map<RequestId, CacheMark>();
  const sent = new Set<CallId>();
  if (compactions.newest) addUser(messages, [{ kind: 'text', text: wellFormed(compactions.newest.summary) }]);
  for (const item of items) {
    if (item.kind === 'message') addUser(messages, messageBlocks(item, state.refusedImages));
    if (item.kind === 'note' && !trims.clearedNotes.has(item.seq))
      addUser(messages, [{ kind: 'text', text: wellFormed(item.text) }]);
    if (item.kind === 'reminder') addUser(messages, [{ kind: 'text', text: framed(wellFormed(item.text)) }]);
    if (item.kind !== 'answer') continue;
    const end = endOf(messages, messages.length - 1);
    if (end) tails.set(item.requestId, end);
    const keepsReasoning = item.model === model && item.seq >= trims.reasoningFrom;
    addAnswer(messages, unsent(item.content, keepsReasoning, sent), results, state);
  }
  return { messages, tails };
}

/**
 * One text a message, with the facts of the moment in front: not every endpoint takes several texts in a row. Files
 * that are handed over stand before it: what sisters share must not follow anything of their own. Images come in front of
 * the text that speaks of them, which names them in their order.
 */
function messageBlocks(
  item: Extract<TranscriptItem, { kind: 'message' }>,
  refused: RefusedImages,
): readonly UserBlock[] {
  const { facts, handed = [], images = [] } = item;
  const said = facts === undefined ? item.text : `${facts}\n\n${item.text}`;
  const sent = images.filter(({ archiveId }) => !refused.has(archiveId));
  const text = withNames(said, [...listed(sent), ...refusedNames(images, refused)]);
  const texts = (all: readonly string[]) => all.map((one): UserBlock => ({ kind: 'text', text: wellFormed(one) }));
  return [...texts(handed), ...sent.map((image): UserBlock => ({ kind: 'image', image })), ...texts([text])];
}

function listed(images: readonly Image[]): readonly string[] {
  return images.length === 0 ? [] : [`[images above: ${images.map(imageWords).join('; ')}]`];
}

function refusedNames(images: readonly Image[], refused: RefusedImages): readonly string[] {
  return images.flatMap((image) => {
    const why = refused.get(image.archiveId);
    return why === undefined ? [] : [namedImage(image, `not sent, as the provider refused it: ${why}`)];
  });
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
  { trims, refusedImages }: SessionState,
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
    calls.map((callId) =>
      withImages(resultBlock(callId, results.get(callId), trims), results.get(callId), refusedImages),
    ),
  );
}

function clearedCall(block: AssistantBlock, { inputs }: Trims): AssistantBlock {
  const archiveId = block.kind === 'toolCall' ? inputs.get(block.callId) : undefined;
  if (block.kind !== 'toolCall' || archiveId === undefined) return block;
  const known = cutCalls.get(block);
  if (known?.archiveId === archiveId) return known.cut;
  const cut = { ...block, inputJson: clearedInput(block.name, block.inputJson, archiveId) };
  cutCalls.set(block, { archiveId, cut });
  return cut;
}

/** So is a call. */
const cutCalls = new WeakMap<AssistantBlock, { readonly archiveId: string; readonly cut: AssistantBlock }>();

function resultBlock(callId: CallId, result: ResultItem | undefined, { results }: Trims): UserBlock {
  if (!result) return { kind: 'toolResult', callId, text: unknownResult, isError: true };
  const isCut = result.archiveId !== undefined && results.has(callId);
  const known = isCut ? cutBlocks : wholeBlocks;
  const block = known.get(result) ?? blockOf(result, isCut);
  known.set(result, block);
  return block;
}

/** What a trim cut has lost its images. */
function withImages(block: UserBlock, result: ResultItem | undefined, refused: RefusedImages): UserBlock {
  if (block.kind !== 'toolResult' || result?.images === undefined || cutBlocks.get(result) === block) return block;
  const sent = result.images.filter(({ archiveId }) => !refused.has(archiveId));
  const text = withNames(block.text, refusedNames(result.images, refused));
  return { ...block, text, ...(sent.length === 0 ? {} : { images: sent }) };
}

/** A result is the same block in every prompt that shows it the same way. */
const wholeBlocks = new WeakMap<ResultItem, UserBlock>();
const cutBlocks = new WeakMap<ResultItem, UserBlock>();

function blockOf({ callId, shown, rules, archiveId, outcome, images }: ResultItem, isCut: boolean): UserBlock {
  const whole = () => `${shown}${rules.map((file) => file.text).join('')}`;
  const text = wellFormed(isCut && archiveId !== undefined ? cut(shown, archiveId, images) : whole());
  return { kind: 'toolResult', callId, text, isError: outcome !== 'ok' };
}

function cut(shown: string, archiveId: ArchiveId, images: readonly Image[] = []): string {
  const text = clearedResult(shown, archiveId);
  return withNames(
    text,
    images.map((image) => `[no longer shown: recall ${shortId(image.archiveId)} shows it again]`),
  );
}

/** Joins with a user message that is last already, so that roles alternate. */
function addUser(messages: PromptMessage[], blocks: readonly UserBlock[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', blocks: [...last.blocks, ...blocks] };
  else messages.push({ role: 'user', blocks });
}
