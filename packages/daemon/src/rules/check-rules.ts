/**
 * What `zerd doctor` says of rules: files that are there or were named, and that no session begins with. Invariant:
 * nothing of a workspace is looked at before it is trusted (I7).
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { rulesNames } from '@zerd/core/rules/folders';
import { resolvePath } from '../files/resolve.ts';
import { type FirstRules, placeOf, textInside, textOutside } from './find-rules.ts';

export interface RulesFound {
  readonly ok: boolean;
  readonly says: string;
  readonly todo?: string;
}

/** `root` undefined: it is not trusted. */
export async function checkRules(root: string | undefined, { named }: Pick<FirstRules, 'named'>): Promise<RulesFound> {
  const inside = root === undefined ? [] : await Promise.all(rulesNames.map((name) => faultInside(root, name)));
  const outside = root === undefined ? [] : await Promise.all(named.map((path) => faultOutside(root, path)));
  const faults = [...inside, ...outside].filter((fault) => fault !== undefined);
  if (faults.length === 0) return { ok: true, says: 'Every file of rules that was found or named can be used.' };
  return { ok: false, says: faults.join(' '), todo: 'Mend these files: no session begins with what they say.' };
}

const unusable = 'it is no file of text of up to 4 MB that may be read';

async function faultInside(root: string, name: string): Promise<string | undefined> {
  const isThere = (await lstat(join(root, name)).catch(() => undefined)) !== undefined;
  if (!isThere || (await textInside(root, name)) !== undefined) return undefined;
  const place = await resolvePath(root, name);
  const leaves = !place.ok && place.code === 'outside';
  const why = leaves ? 'it leads out of the repository; `rules.files` may name where it leads' : unusable;
  return `${name} is left out: ${why}.`;
}

async function faultOutside(root: string, path: string): Promise<string | undefined> {
  const place = placeOf(root, path);
  if ((await textOutside(place)) !== undefined) return undefined;
  const isThere = (await lstat(place).catch(() => undefined)) !== undefined;
  return `${path} in \`rules.files\` is left out: ${isThere ? `${unusable}, or it is empty` : 'there is no such file'}.`;
}
