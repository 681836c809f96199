/** The names in a folder, as many as are worth showing: folders end in '/', links in '@'. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { oneLinePath } from '@zerd/core/text/one-line-path';
import type { ToolResult } from '../../base/ports.ts';
import { failed } from '../../base/tool-answer.ts';
import { describeFsFailure } from '../../files/fs-failure.ts';

const maxNames = 200;

export async function listFolder(real: string, path: string): Promise<ToolResult> {
  try {
    const names: string[] = [];
    for await (const entry of await opendir(real)) names.push(nameOf(entry));
    return answer(path, names.sort());
  } catch (error) {
    const message = describeFsFailure(error, path);
    if (message === undefined) throw error;
    return failed(message);
  }
}

function nameOf(entry: Dirent): string {
  const name = oneLinePath(entry.name);
  if (entry.isDirectory()) return `${name}/`;
  return entry.isSymbolicLink() ? `${name}@` : name;
}

function answer(path: string, names: readonly string[]): ToolResult {
  const folder = path === '.' ? 'the workspace' : `${path}/`;
  const entries = `${names.length} ${names.length === 1 ? 'entry' : 'entries'}`;
  const left = names.length - maxNames;
  const head = `${folder} is a folder: ${entries}${left > 0 ? `, ${left} more than shown; use find` : ''}`;
  const text = names.slice(0, maxNames).map((name) => `${name}\n`);
  return { outcome: 'ok', body: { kind: 'text', text: text.join('') }, head };
}
