/**
 * Finds the ids under which a request says that the output of a call can be had again: what a stub, a pointer or a note
 * names first, then what names a whole conversation that was replaced.
 */
import type { RequestView } from '../view/request-view.ts';
import { stringOf } from '../wire.ts';
import type { StepCall } from './player.ts';
import { callsIn, textsIn } from './shown-texts.ts';

/** The likeliest first, each once, in the digits that every mention of it shares. */
export function archiveIds(view: RequestView, source: StepCall): readonly string[] {
  const subject = subjectOf(source);
  const same = callsIn(view).filter((call) => call.name === source.name && subjectOf(call) === subject);
  const own = same.flatMap(({ input, result = '' }) => idsIn(`${JSON.stringify(input)}\n${result}`));
  const lines = textsIn(view).flatMap((text) => text.split('\n'));
  const listed = subject === '' ? [] : lines.filter((line) => line.includes(subject)).flatMap(idsIn);
  const replaced = lines.filter((line) => line.startsWith('[') && /replaced: recall/.test(line)).flatMap(idsIn);
  return [...new Set([...own.reverse(), ...listed.reverse(), ...replaced.reverse()].map((id) => id.slice(0, 12)))];
}

/** What a call is about: two calls of one tool about the same thing bring the same, or parts of it. */
function subjectOf({ input }: { readonly input?: unknown }): string {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  return stringOf(fields.path) || stringOf(fields.command) || stringOf(fields.pattern) || stringOf(fields.id);
}

/** Hexadecimal digits alone, and at least twelve of them. */
function idsIn(text: string): readonly string[] {
  return text.match(/(?<![\w-])[0-9a-f]{12,64}(?![\w-])/g) ?? [];
}
