/**
 * Finds out whether a command did no more than show lines of a file. Invariant: it counts only where the output is, byte
 * for byte, what the file as it is now would give.
 */
import { parseShellRead, rowsOfShellRead } from '@zerd/core/context/repeat/shell-read';
import { linesOf } from '@zerd/core/text/lines';
import type { Body, FileView, ToolResult } from '../base/ports.ts';
import { resolvePath } from '../files/resolve.ts';
import { shownText } from '../files/shown-text.ts';
import { loadText } from '../files/text-file.ts';

/** Larger outputs are not compared. */
const maxOutput = 1024 * 1024;

export async function viewShellRead(
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
  command: string,
  result: ToolResult,
): Promise<FileView | undefined> {
  const read = parseShellRead(command);
  const output = result.outcome === 'ok' && result.head === undefined ? wholeOutput(result.body) : undefined;
  if (read === undefined || output === undefined || output === '' || signal.aborted) return undefined;
  const target = await resolvePath(root, read.path);
  const file = target.ok ? await loadText(target.real, target.path, signal).catch(() => undefined) : undefined;
  if (!target.ok || !file?.ok) return undefined;
  const { text, cells } = shownText(target.path, file);
  const lines = linesOf(text);
  const { first, rows } = rowsOfShellRead(read, lines);
  if (cells !== undefined || !sameText(output, rows)) return undefined;
  const { hash, bytes } = file;
  return { path: target.path, hash, lines: lines.length, first, rows, content: { hash, bytes, text } };
}

function wholeOutput(body: Body): string | undefined {
  if (body.kind === 'text') return body.text;
  if (body.kind !== 'spool' || body.tailText !== '' || body.totalBytes > maxOutput) return undefined;
  return body.headText;
}

function sameText(output: string, rows: readonly string[]): boolean {
  const text = rows.join('\n');
  return rows.length > 0 && (output === text || output === `${text}\n`);
}
