/** Reads a call's arguments once: the file it concerns, what asks for the same thing again, and a short name for people and the model. */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import { clipUtf8 } from '../../text/utf8.ts';
import { clearableInput } from '../cleared.ts';
import type { CallFacts } from './protect.ts';

type Call = Extract<AssistantBlock, { kind: 'toolCall' }>;

export interface CallWords {
  readonly use: CallFacts['use'];
  readonly file: string | undefined;
  /** Calls with the same key ask for the same thing. */
  readonly key: string;
  /** `read src/a.ts 1-80`, `shell npm test`. */
  readonly label: string;
  /** A trim can cut its arguments. */
  readonly clearable: boolean;
}

const known = new WeakMap<Call, CallWords>();

/** Remembered by block: a block never changes. */
export function callWords(call: Call): CallWords {
  const before = known.get(call);
  if (before !== undefined) return before;
  const words = readCall(call);
  known.set(call, words);
  return words;
}

const uses: Readonly<Record<string, CallFacts['use']>> = { read: 'read', edit: 'edit', write: 'edit', shell: 'run' };
const labelBytes = 60;

function readCall({ name, inputJson }: Call): CallWords {
  const input = fieldsOf(inputJson);
  const text = (field: string) => (typeof input[field] === 'string' ? (input[field] as string) : undefined);
  const path = text('path');
  const use = (Object.hasOwn(uses, name) ? uses[name] : undefined) ?? 'other';
  const about = text('command') ?? text('pattern') ?? text('id') ?? '';
  const named = [path, rangeOf(input), name === 'read' ? '' : about].filter(
    (part) => part !== undefined && part !== '',
  );
  return {
    use,
    file: use === 'read' || use === 'edit' ? path : undefined,
    key: keyOf(name, inputJson, name === 'read' ? path : text('id')),
    label: oneLine(`${name} ${named.join(' ')}`),
    clearable: clearableInput(name, inputJson) !== undefined,
  };
}

/** Another range of the same file or body is the same question. */
function keyOf(name: string, inputJson: string, whole: string | undefined): string {
  if (whole === undefined || (name !== 'read' && name !== 'recall')) return `${name} ${inputJson}`;
  return `${name} ${name === 'recall' ? whole.slice(0, 12) : whole}`;
}

function rangeOf({ offset, limit }: Readonly<Record<string, unknown>>): string {
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const from = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `${from}-${from + limit - 1}` : `${from}-`;
}

function fieldsOf(inputJson: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(inputJson) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    // Arguments that are no JSON never ran.
    return {};
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const clipped = clipUtf8(line, labelBytes);
  return clipped.length < line.length ? `${clipped}…` : line;
}
