/**
 * Reads lines of a text file, or the names in a folder. Invariant: what is shown is a run of whole lines of the file as
 * it is (CRLF shown as LF and a notebook as its cells, and said so), at most 1 MiB, and the head says how to go on. An
 * image, known by its bytes, is shown as one.
 */
import { linesOf } from '@zerd/core/text/lines';
import type { FileView, ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed, untilAborted } from '../../base/tool-answer.ts';
import { type ImageRead, imageFileWords, readImage } from '../../files/image-file.ts';
import { bytesText, loadFile } from '../../files/load-file.ts';
import { type ResolvedPath, resolvePath } from '../../files/resolve.ts';
import { type ShownText, shownText } from '../../files/shown-text.ts';
import { asText, type TextFile } from '../../files/text-file.ts';
import { listFolder } from './list-folder.ts';
import { type CutRange, cutRange, type Range } from './range.ts';
import { readHuge } from './read-huge.ts';

export const run: ToolRun<'read'> = async (input, context) => {
  const target = await resolvePath(context.root, input.path);
  if (!target.ok) return failed(target.message);
  const range = { offset: input.offset ?? 1, limit: input.limit ?? Number.POSITIVE_INFINITY };
  return untilAborted(context.signal, `${target.path}: interrupted.`, () => read(range, context, target));
};

async function read(range: Range, context: ToolContext, { real, path }: ResolvedPath): Promise<ToolResult> {
  const loaded = await loadFile(real, path, context.signal);
  const image = loaded.ok ? readImage(path, loaded.bytes) : undefined;
  if (image !== undefined) return showImage(image);
  const file = loaded.ok ? asText(path, loaded) : loaded;
  if (file.ok) return showRange(path, file, range);
  if (file.kind === 'folder') return listFolder(real, path);
  if (file.kind === 'huge') return readHuge(real, path, range, context.signal);
  if (file.kind === 'missing') return failed(`${path} does not exist. Use find to look for it.`);
  return failed(file.kind === 'binary' ? `${file.message} Only text can be read.` : file.message);
}

/** The range means nothing for an image. */
function showImage(image: ImageRead): ToolResult {
  if (image.kind === 'unfit') return failed(image.message);
  const { kind: _, ...shown } = image;
  return { outcome: 'ok', body: { kind: 'text', text: `[image ${imageFileWords(shown)}]` }, images: [shown] };
}

function showRange(path: string, file: TextFile, range: Range): ToolResult {
  const shown = shownText(path, file);
  const cut = cutRange(shown.text, range);
  if (cut.total > 0 ? range.offset > cut.total : range.offset > 1) {
    return failed(`${path} has ${cut.total} lines; offset ${range.offset} is past its end.`);
  }
  const head = headOf(path, file, cut, shown);
  const files = [{ path, hash: file.hash, how: 'read' as const }];
  const view = viewOf(path, file, cut, shown.text);
  return {
    ...{ outcome: 'ok', body: { kind: 'text', text: cut.text }, files },
    ...(head !== undefined && { head }),
    ...(view !== undefined && { view }),
  };
}

/** Undefined when there is no whole line to speak of. */
function viewOf(path: string, file: TextFile, cut: CutRange, text: string): FileView | undefined {
  if (cut.total === 0 || cut.clipped) return undefined;
  const { hash, bytes } = file;
  const rows = linesOf(cut.text);
  return { path, hash, lines: cut.total, first: cut.first, rows, content: { hash, bytes, text } };
}

/** Undefined where the text itself says all: a whole file, plain UTF-8 with LF. */
function headOf(path: string, file: TextFile, cut: CutRange, { cells }: ShownText): string | undefined {
  if (cut.total === 0) return `${path} is empty`;
  const whole = cut.first === 1 && cut.last === cut.total && cut.more === undefined;
  const lines = whole ? undefined : `lines ${cut.first}-${cut.last} of ${cut.total}`;
  const notebook = cells === undefined ? undefined : notebookNote(cells, file);
  const facts = [notebook, endings(file), encodingNote(file), cut.more].filter((fact) => fact !== undefined);
  if (lines === undefined && facts.length === 0) return undefined;
  return [path, lines, facts.length > 0 ? `(${facts.join('; ')})` : undefined].filter(Boolean).join(' ');
}

function notebookNote(cells: number, { bytes }: TextFile): string {
  return `a notebook as its ${cells} cells; edit works on its JSON of ${bytesText(bytes.length)}, which search and the shell show`;
}

function endings({ eol }: TextFile): string | undefined {
  if (eol.crlf === 0) return undefined;
  return eol.lf === 0 ? 'CRLF' : `mixed line endings: ${eol.crlf} CRLF, ${eol.lf} LF`;
}

function encodingNote({ encoding }: TextFile): string | undefined {
  if (encoding === 'unknown') return 'not UTF-8, encoding unknown: only its ASCII is sure';
  return encoding.startsWith('utf-16') ? encoding.toUpperCase() : undefined;
}
