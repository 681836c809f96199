/**
 * Creates a file or replaces all of it. Invariant: content that the model has not seen as it is now is never replaced;
 * mode, encoding and mark of a replaced file stay, and CRLF stays where every line had it.
 */
import { countLines } from '@zerd/core/text/lines';
import { isWellFormed } from '@zerd/core/text/utf8';
import type { SeenFile } from '@zerd/protocol/common/event';
import type { ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed, interrupted, untilAborted } from '../../base/tool-answer.ts';
import { encode, isAscii, show, spell } from '../../files/encoding.ts';
import { inTurn } from '../../files/in-turn.ts';
import { keepBefore } from '../../files/keep-before.ts';
import { hashOf } from '../../files/load-file.ts';
import type { ResolvedPath } from '../../files/resolve.ts';
import { resolveToChange } from '../../files/resolve-to-change.ts';
import { diffTexts } from '../../files/text-diff.ts';
import { loadText, type TextFailure, type TextFile } from '../../files/text-file.ts';
import { writeFile } from '../../files/write-file.ts';
import type { Written } from '../../files/written.ts';

export const run: ToolRun<'write'> = async ({ path, content }, context) => {
  if (!isWellFormed(content)) return failed('Nothing was written: `content` holds half of a surrogate pair.');
  if (path.endsWith('/')) return failed(`${path} names a folder. Nothing was written; give the path of a file.`);
  const target = await resolveToChange(context.root, path);
  if (!target.ok) return failed(target.message);
  return untilAborted(context.signal, `${target.path} was not written: interrupted.`, () =>
    inTurn(target.real, () => write(content, context, target)),
  );
};

async function write(content: string, context: ToolContext, target: ResolvedPath): Promise<ToolResult> {
  const file = await loadText(target.real, target.path, context.signal);
  if (file.ok) return replace(content, context, target, file);
  return file.kind === 'missing' ? create(content, context, target) : failed(`${file.message} ${advice(file)}`);
}

function advice(failure: TextFailure): string {
  if (failure.kind === 'folder') return 'Nothing was written; name a file in it.';
  if (failure.kind === 'binary') return 'It was not written. If it should go, remove it in the shell first.';
  return 'It was not written.';
}

async function create(content: string, context: ToolContext, { real, path }: ResolvedPath): Promise<ToolResult> {
  const { archive, signal } = context;
  const bytes = Buffer.from(content, 'utf8');
  const written = await writeFile({ real, path, bytes, expected: undefined, archive, signal });
  const lines = countLines(content);
  const head = `${path} created: ${lines} ${lines === 1 ? 'line' : 'lines'}.`;
  return answer({ path, written, head, before: { before: null } }, () => diffTexts(path, undefined, content).diff);
}

async function replace(
  content: string,
  context: ToolContext,
  { real, path }: ResolvedPath,
  file: TextFile,
): Promise<ToolResult> {
  const { archive, signal } = context;
  const next = inStyleOf(file, content);
  const bytes = encode(next, file.encoding);
  if (hashOf(bytes) === file.hash) {
    const written = { ok: true, hash: file.hash } as const;
    const before = { before: file.hash };
    return answer({ path, written, head: `${path} holds exactly this already.`, before }, () => undefined);
  }
  const refusal = refuse(context, path, file, content);
  if (refusal !== undefined) return failed(`${path} was not written: ${refusal}`);
  const diff = diffTexts(path, show(file.text, file.encoding), show(next, file.encoding));
  const before = await keepBefore(archive, file);
  const written = await writeFile({ real, path, bytes, expected: file.hash, archive, signal });
  const head = `${path} replaced: +${diff.added} -${diff.removed}.`;
  return answer({ path, written, head, before }, () => diff.diff);
}

/** What was read was shown with LF and without its mark: what comes back gets both again. */
function inStyleOf(file: TextFile, content: string): string {
  const marked = file.encoding !== 'utf-8' && file.encoding !== 'unknown';
  const text = marked ? content.replace(/^\uFEFF/, '') : spell(content, file.encoding);
  const onlyCrlf = file.eol.crlf > 0 && file.eol.lf === 0;
  return onlyCrlf && !text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

function refuse(context: ToolContext, path: string, file: TextFile, content: string): string | undefined {
  const seen = context.seen(path);
  if (!seen && file.bytes.length > 0) return 'it exists and you have not read it. Read it first, or use edit.';
  if (seen && seen.hash !== file.hash) return 'it has changed since you last saw it. Read it again, then write.';
  if (file.encoding !== 'unknown' || isAscii(content)) return undefined;
  return 'it is not UTF-8 and its encoding is unknown, so only ASCII can be written. Convert it first (iconv).';
}

interface Answered {
  readonly path: string;
  readonly written: Written;
  readonly head: string;
  readonly before: Pick<SeenFile, 'before'>;
}

function answer({ path, written, head, before }: Answered, diff: () => string | undefined): ToolResult {
  if (!written.ok) return written.interrupted ? interrupted(written.message) : failed(written.message);
  const text = written.note === undefined ? head : `${head} ${written.note}`;
  const shown = diff();
  const made = written.madeFolders === undefined ? {} : { madeFolders: written.madeFolders };
  const files = [{ path, hash: written.hash, how: 'written' as const, ...before, ...made }];
  return { outcome: 'ok', body: { kind: 'text', text }, files, ...(shown !== undefined && { diff: shown }) };
}
