/**
 * Reasoning goes back exactly. Its signature must fit its text everywhere; in a running tool loop (behind the last
 * message of the user's own words) the reasoning that stood before a call must still stand at the answer's beginning,
 * unless another model goes on: it has no use for it.
 */
import { signatureOf } from '../speak/signature.ts';
import { type Json, objectsOf, stringOf } from '../wire.ts';
import { complaints, type Issued, invalid, type Verdict } from './verdict.ts';

export function* judgeThinking(messages: readonly Json[], model: string, issued: Issued): Iterable<Verdict> {
  yield* complaints(messages, (message, i) =>
    complaints(objectsOf(message.content), (block, j) => judgeSignature(block, `messages.${i}.content.${j}`)),
  );
  const loop = messages.findLastIndex((message) => message.role === 'user' && !answersCalls(message)) + 1;
  for (let i = loop; i < messages.length; i++)
    yield* judgePresence(messages[i], i, (callId) => issued.reasoningOf(callId, model));
}

function answersCalls(message: Json): boolean {
  return objectsOf(message.content).some((block) => block.type === 'tool_result');
}

function* judgeSignature(block: Json, at: string): Iterable<Verdict> {
  if (block.type !== 'thinking') return;
  if (block.signature !== signatureOf(stringOf(block.thinking)))
    yield invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
}

type ReasoningOf = (callId: string) => string | undefined;

function* judgePresence(message: Json | undefined, i: number, reasoningOf: ReasoningOf): Iterable<Verdict> {
  const blocks = objectsOf(message?.content);
  const said = blocks.filter((block) => block.type === 'tool_use').map((block) => reasoningOf(stringOf(block.id)));
  const reasoning = said.find((text) => text !== undefined);
  const [first] = blocks;
  if (reasoning === undefined || first === undefined) return;
  if (first.type !== 'thinking') yield missing(i, stringOf(first.type));
  else if (first.thinking !== reasoning) yield altered(i);
}

function missing(i: number, found: string): Verdict {
  return invalid(
    `messages.${i}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

function altered(i: number): Verdict {
  return invalid(
    `messages.${i}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
