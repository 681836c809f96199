/** Every tool_use has its one tool_result at the beginning of the very next message, and no result stands alone. */
import { type Json, objectsOf, stringOf } from '../wire.ts';
import { invalid, type Verdict } from './verdict.ts';

export function* judgePairs(messages: readonly Json[]): Iterable<Verdict> {
  yield* judgeUnique(messages);
  for (const [i, message] of messages.entries()) {
    const calls = idsOf(message, 'tool_use', 'id');
    const results = leadingResults(messages[i + 1]);
    const open = calls.filter((id) => !results.includes(id));
    if (open.length > 0) yield unanswered(i, open);
    yield* judgeResults(messages[i - 1], message, i);
  }
}

function* judgeUnique(messages: readonly Json[]): Iterable<Verdict> {
  const seen = new Set<string>();
  for (const [i, message] of messages.entries()) {
    for (const [j, block] of objectsOf(message.content).entries()) {
      if (block.type !== 'tool_use') continue;
      if (seen.has(stringOf(block.id))) yield invalid(`messages.${i}.content.${j}: \`tool_use\` ids must be unique`);
      seen.add(stringOf(block.id));
    }
  }
}

function* judgeResults(before: Json | undefined, message: Json, i: number): Iterable<Verdict> {
  const calls = before === undefined ? [] : idsOf(before, 'tool_use', 'id');
  const seen = new Set<string>();
  for (const [j, block] of objectsOf(message.content).entries()) {
    if (block.type !== 'tool_result') continue;
    const id = stringOf(block.tool_use_id);
    if (!calls.includes(id)) yield unexpected(`messages.${i}.content.${j}`, id);
    if (seen.has(id)) {
      yield invalid(
        `messages.${i}.content.${j}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
}

function idsOf(message: Json, type: string, field: string): readonly string[] {
  return objectsOf(message.content)
    .filter((block) => block.type === type)
    .map((block) => stringOf(block[field]));
}

/** Results behind another block do not count as immediately after. */
function leadingResults(message: Json | undefined): readonly string[] {
  const blocks = objectsOf(message?.content);
  const end = blocks.findIndex((block) => block.type !== 'tool_result');
  return (end === -1 ? blocks : blocks.slice(0, end)).map((block) => stringOf(block.tool_use_id));
}

function unanswered(i: number, ids: readonly string[]): Verdict {
  return invalid(
    `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function unexpected(at: string, id: string): Verdict {
  return invalid(
    `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  );
}
