/** Names the files that belong to a skill, within bounds: hidden ones and links are left out, and SKILL.md is known. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { oneLinePath } from '@zerd/core/text/one-line-path';

const mostFiles = 60;
const mostFolders = 40;
const mostDepth = 3;

/** `reference.md, scripts/fill.py`; '' when there are none. */
export async function filesOf(folder: string): Promise<string> {
  const files: string[] = [];
  const ahead = [''];
  for (let looked = 0; looked < mostFolders && ahead.length > 0; looked += 1) {
    const parent = ahead.shift() ?? '';
    for (const entry of await entriesOf(join(folder, parent))) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`;
      if (entry.isDirectory() && path.split('/').length < mostDepth + 1) ahead.push(path);
      if (entry.isFile() && path !== 'SKILL.md') files.push(path);
    }
  }
  const shown = files.slice(0, mostFiles).map(oneLinePath);
  const rest = files.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  return entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
}
