/**
 * Replaces a text in a file. Invariant: every byte outside the edit stays; a file that changed since the model saw it
 * is edited only where the old text is still there exactly once, and the answer says so.
 */
import { explainRefusal } from '@zerd/core/edit/explain';
import { applyEdits, type EditRefusal, planEdit } from '@zerd/core/edit/plan';
import { isWellFormed } from '@zerd/core/text/utf8';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed, interrupted, untilAborted } from '../../base/tool-answer.ts';
import { type Encoding, encode, show, spell } from '../../files/encoding.ts';
import { inTurn } from '../../files/in-turn.ts';
import { keepBefore } from '../../files/keep-before.ts';
import type { ResolvedPath } from '../../files/resolve.ts';
import { resolveToChange } from '../../files/resolve-to-change.ts';
import { shownText } from '../../files/shown-text.ts';
import { diffTexts, type TextDiff } from '../../files/text-diff.ts';
import { loadText, type TextFailure, type TextFile } from '../../files/text-file.ts';
import { writeFile } from '../../files/write-file.ts';
import { describeSince } from './since-seen.ts';
import { unsafeIn } from './unknown-encoding.ts';

type Input = ToolInput<'edit'>;

export const run: ToolRun<'edit'> = async (input, context) => {
  if (!isWellFormed(input.old) || !isWellFormed(input.new)) {
    return failed('Nothing was changed: `old` or `new` holds half of a surrogate pair.');
  }
  const target = await resolveToChange(context.root, input.path);
  if (!target.ok) return failed(target.message);
  return untilAborted(context.signal, `${target.path} was not changed: interrupted.`, () =>
    inTurn(target.real, () => edit(input, context, target)),
  );
};

async function edit(input: Input, context: ToolContext, target: ResolvedPath): Promise<ToolResult> {
  const file = await loadText(target.real, target.path, context.signal);
  if (!file.ok) return failed(unreadable(file, target.path));
  const { encoding, text } = file;
  const plan = planEdit(text, { ...input, old: spell(input.old, encoding), new: spell(input.new, encoding) });
  if (plan.kind !== 'planned') return failed(explainRefusal(target.path, shown(plan, encoding)));
  const count = plan.matches.length;
  const refusal = refuse(context, target.path, file, count) ?? refuseUnknown(file, input, plan.matches);
  if (refusal !== undefined) return failed(`${target.path} was not changed: ${refusal}`);
  return replace(context, target, file, { text: applyEdits(text, plan.edits), count });
}

function unreadable(file: TextFailure, path: string): string {
  if (file.kind === 'missing') return `${path} does not exist, so there is nothing to edit. To create it, use write.`;
  return file.kind === 'binary' ? `${file.message} It was not changed.` : file.message;
}

/** More than one place is edited only in a file that is as the model knows it. */
function refuse(context: ToolContext, path: string, file: TextFile, count: number): string | undefined {
  const seen = context.seen(path);
  if (count === 1 || seen?.hash === file.hash) return undefined;
  const why = seen ? 'it has changed since you last saw it' : 'you have not read it';
  return `${why}, and \`old\` matches ${count} times. Read it, then edit again.`;
}

function refuseUnknown(
  file: TextFile,
  input: Input,
  matches: readonly { readonly start: number }[],
): string | undefined {
  return file.encoding === 'unknown' ? unsafeIn(file.text, input, matches) : undefined;
}

/** The lines of a refusal as the model would read them. */
function shown(plan: EditRefusal, encoding: Encoding): EditRefusal {
  if (plan.kind !== 'notFound' || !plan.nearest) return plan;
  return { ...plan, nearest: { ...plan.nearest, lines: plan.nearest.lines.map((line) => show(line, encoding)) } };
}

async function replace(
  context: ToolContext,
  { real, path }: ResolvedPath,
  file: TextFile,
  next: { readonly text: string; readonly count: number },
): Promise<ToolResult> {
  const bytes = encode(next.text, file.encoding);
  const { archive, signal } = context;
  const seen = context.seen(path);
  const since = seen && seen.hash !== file.hash ? await describeSince(archive, seen.hash, file) : undefined;
  const before = await keepBefore(archive, file);
  const written = await writeFile({ real, path, bytes, expected: file.hash, archive, signal });
  if (!written.ok) return written.interrupted ? interrupted(written.message) : failed(written.message);
  const diff = diffTexts(path, show(file.text, file.encoding), show(next.text, file.encoding));
  const notes = [summary(path, diff, next.count), since, written.note].filter((note) => note !== undefined);
  const files = [{ path, hash: written.hash, how: 'written' as const, ...before }];
  const edited = editedOf(path, file, { text: next.text, bytes, hash: written.hash });
  return {
    outcome: 'ok',
    body: { kind: 'text', text: notes.join(' ') },
    files,
    diff: diff.diff,
    ...(edited && { edited }),
  };
}

/** Undefined for a notebook: its cells are not what the edit shows. */
function editedOf(
  path: string,
  { text, bytes, hash, encoding }: TextFile,
  next: Pick<TextFile, 'text' | 'bytes' | 'hash'>,
): ToolResult['edited'] {
  const [before, after] = [shownText(path, { text, encoding }), shownText(path, { text: next.text, encoding })];
  if (before.cells !== undefined || after.cells !== undefined) return undefined;
  return {
    before: { hash, bytes, text: before.text },
    after: { hash: next.hash, bytes: next.bytes, text: after.text },
  };
}

function summary(path: string, diff: TextDiff, count: number): string {
  const lines =
    diff.firstLine === diff.lastLine ? `line ${diff.firstLine}` : `lines ${diff.firstLine}-${diff.lastLine}`;
  const where = count === 1 ? lines : `${count} matches, ${lines}`;
  return `${path} edited (${where}): +${diff.added} -${diff.removed}.`;
}
