/** What one input item may be: a known kind with known fields, ids with the kind's prefix, content that fits the role. */
import { typeOf } from '../view/view-responses.ts';
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { judgeOpenAiImage } from './images.ts';
import { missing, unknownParameter, unsupported } from './openai-words.ts';
import { complaints, invalid, type Verdict } from './verdict.ts';

/** Items that an agent with tools of its own sends, their fields, and how their ids begin. */
const kinds: Readonly<Record<string, { readonly fields: readonly string[]; readonly prefix?: string }>> = {
  message: { fields: ['type', 'role', 'content', 'id', 'status', 'phase'], prefix: 'msg' },
  reasoning: { fields: ['type', 'id', 'summary', 'content', 'encrypted_content', 'status'], prefix: 'rs' },
  function_call: {
    fields: ['type', 'id', 'call_id', 'name', 'arguments', 'status', 'namespace', 'caller'],
    prefix: 'fc',
  },
  function_call_output: { fields: ['type', 'id', 'call_id', 'output', 'status', 'caller'] },
  item_reference: { fields: ['type', 'id'] },
};

export function* judgeResponsesItem(item: Json, i: number): Iterable<Verdict> {
  const at = `input[${i}]`;
  const kind = kinds[typeOf(item)];
  if (kind === undefined) return yield unsupported(typeOf(item), Object.keys(kinds), `${at}.type`);
  const unknown = Object.keys(item).find((key) => !kind.fields.includes(key));
  if (unknown !== undefined) yield unknownParameter(`${at}.${unknown}`);
  yield* judgeId(item, kind.prefix, at);
  if (typeOf(item) === 'item_reference') yield notKept(stringOf(item.id));
  if (typeOf(item) === 'message') yield* judgeMessage(item, at);
  if (typeOf(item) === 'function_call_output') yield* judgeOutput(item, at);
  if (typeOf(item) === 'reasoning' && !Array.isArray(item.summary)) yield missing(`${at}.summary`);
}

/** Nothing is stored, so an id alone names nothing. */
export function notKept(id: string): Verdict {
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return { ...invalid(message, { param: 'input' }), status: 404 };
}

function* judgeId(item: Json, prefix: string | undefined, at: string): Iterable<Verdict> {
  const { id } = item;
  if (id === undefined || id === null || prefix === undefined) return;
  if (!stringOf(id).startsWith(prefix)) {
    const message = `Invalid '${at}.id': '${String(id)}'. Expected an ID that begins with '${prefix}'.`;
    yield invalid(message, { code: 'invalid_value', param: `${at}.id` });
  }
}

const roles: readonly string[] = ['assistant', 'system', 'developer', 'user'];
const said: readonly string[] = ['output_text', 'refusal'];
const told: readonly string[] = ['input_text', 'input_image', 'input_file'];
const phases: readonly string[] = ['commentary', 'final_answer'];

function* judgeMessage(item: Json, at: string): Iterable<Verdict> {
  const role = stringOf(item.role);
  if (!roles.includes(role)) yield unsupported(role, roles, `${at}.role`);
  if (item.phase !== undefined && item.phase !== null && !phases.includes(String(item.phase))) {
    yield unsupported(String(item.phase), phases, `${at}.phase`);
  }
  if (typeof item.content === 'string') return;
  if (!Array.isArray(item.content)) yield missing(`${at}.content`);
  const allowed = role === 'assistant' ? said : told;
  yield* complaints(objectsOf(item.content), (part, j) => judgePart(part, allowed, `${at}.content[${j}]`));
}

const partFields: readonly string[] =
  'type text refusal annotations logprobs detail image_url file_id file_data filename file_url prompt_cache_breakpoint'.split(
    ' ',
  );

function* judgePart(part: Json, allowed: readonly string[], at: string): Iterable<Verdict> {
  const type = stringOf(part.type);
  if (!allowed.includes(type)) yield unsupported(type, allowed, `${at}.type`);
  if (/_text$/.test(type) && typeof part.text !== 'string') yield missing(`${at}.text`);
  const unknown = Object.keys(part).find((key) => !partFields.includes(key));
  if (unknown !== undefined) yield unknownParameter(`${at}.${unknown}`);
  yield* judgeOpenAiImage(part, at);
  const mark = part.prompt_cache_breakpoint;
  if (mark !== undefined && (!isObject(mark) || mark.mode !== 'explicit')) {
    yield unsupported(String(isObject(mark) ? mark.mode : mark), ['explicit'], `${at}.prompt_cache_breakpoint.mode`);
  }
}

function* judgeOutput(item: Json, at: string): Iterable<Verdict> {
  if (item.output === undefined) yield missing(`${at}.output`);
  if (typeof item.output !== 'string' && !Array.isArray(item.output)) {
    const message = `Invalid type for '${at}.output': expected one of an array of objects or string.`;
    yield invalid(message, { code: 'invalid_type', param: `${at}.output` });
  }
  yield* complaints(objectsOf(item.output), (part, j) => judgePart(part, told, `${at}.output[${j}]`));
}
