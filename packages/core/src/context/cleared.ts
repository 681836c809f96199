/**
 * What is left of a result or of a call's arguments after a trim: enough to know what it was, and the archive id under
 * which the whole can be had. Invariants: same text, same stub; arguments stay valid for their tool.
 */
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { clipUtf8, clipUtf8End, utf8Length } from '../text/utf8.ts';
import { formatCount } from './admit/format-count.ts';

/** Bytes of a result's beginning, and of its end. */
const endBytes = 120;
/** What a cut result takes at most: both ends and the line between them. */
export const clearedResultBytes = 2 * endBytes + 70;
/** What the cut arguments of a call take, their path aside. */
export const clearedInputBytes = 140;
/** Shorter texts say as much in less. */
const leastInput = 150;

/** The first digits name a body; more would only cost. */
export function shortId(id: ArchiveId): string {
  return id.slice(0, 12);
}

export function clearedResult(shown: string, archiveId: ArchiveId): string {
  const bytes = utf8Length(shown);
  if (bytes <= clearedResultBytes) return shown;
  const line = `[${formatCount(bytes)} bytes cleared: recall {"id":"${shortId(archiveId)}"}]`;
  return `${clipUtf8(shown, endBytes)}\n${line}\n${clipUtf8End(shown, endBytes)}`;
}

/** The arguments that carry text of files. */
const textFields: Readonly<Record<string, readonly string[]>> = { write: ['content'], edit: ['old', 'new'] };

/** The texts of a call that a trim may cut, as they are archived; undefined: there is nothing worth it. */
export function clearableInput(name: string, inputJson: string): string | undefined {
  const input = parsed(inputJson);
  const texts = longTexts(name, input).map((field) => String(input[field]));
  return texts.length === 0 ? undefined : texts.join('\n');
}

export function clearedInput(name: string, inputJson: string, archiveId: ArchiveId): string {
  const input = parsed(inputJson);
  const stubs = longTexts(name, input).map((field) => {
    const bytes = formatCount(utf8Length(String(input[field])));
    return [field, `[${bytes} bytes cleared; archive ${shortId(archiveId)}]`] as const;
  });
  return JSON.stringify({ ...input, ...Object.fromEntries(stubs) });
}

type Fields = Readonly<Record<string, unknown>>;

function longTexts(name: string, input: Fields): readonly string[] {
  const fields = Object.hasOwn(textFields, name) ? (textFields[name] ?? []) : [];
  return fields.filter((field) => typeof input[field] === 'string' && input[field].length >= leastInput);
}

function parsed(inputJson: string): Fields {
  try {
    const value: unknown = JSON.parse(inputJson);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
  } catch {
    // Arguments that are no JSON never ran; they stay as they came.
    return {};
  }
}
