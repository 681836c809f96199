/**
 * Does: finds the files of rules that people keep for agents: in a folder of the workspace, and those that a session
 * begins with. Invariant: a link that leaves the workspace is not followed (I7); what is no regular file of text counts
 * as not there.
 */
import { lstat, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { rulesNames } from '@zerd/core/rules/folders';
import { loadFile } from '../files/load-file.ts';
import { resolvePath } from '../files/resolve.ts';
import { shownTextOf } from '../files/shown-text.ts';

export interface RulesText {
  /** As it was found: relative to the root; a file outside it by its whole path. */
  readonly path: string;
  readonly text: string;
}

/** Larger files are not rules. */
const maxBytes = 4 * 1024 * 1024;

/** The rules of one folder of the workspace, '' for the root: the first of the known names that is there. */
export async function rulesOfFolder(root: string, folder: string): Promise<RulesText | undefined> {
  for (const name of rulesNames) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const text = await textInside(root, path);
    if (text !== undefined && text.trim() !== '') return { path, text };
  }
  return undefined;
}

export interface FirstRules {
  /** The user's own configuration file: their rules for all repositories lie beside it. */
  readonly configFile: string;
  /** More files that the user names, relative to the root. */
  readonly named: readonly string[];
}

/** What a session begins with: the user's own rules, those that they name, and those of the root. */
export async function rulesOfRoot(root: string, { configFile, named }: FirstRules): Promise<readonly RulesText[]> {
  const own = join(dirname(configFile), 'AGENTS.md');
  const outside = await Promise.all([own, ...named.map((path) => placeOf(root, path))].map(textOutside));
  return [...outside, await rulesOfFolder(root, '')].filter((found) => found !== undefined);
}

/** Where a file of the user's settings lies. */
export function placeOf(root: string, path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(root, path);
}

/** A path of the user's own configuration: it may lie anywhere. */
export async function textOutside(path: string): Promise<RulesText | undefined> {
  try {
    // The user's own links are followed. Nothing but a file is opened: a pipe would wait for ever.
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const text = shownTextOf(path, await readFile(path));
    return text === undefined || text.trim() === '' ? undefined : { path, text };
  } catch {
    // It is not there, or may not be read: then there are no such rules.
    return undefined;
  }
}

/** Undefined: it is not there, or is no rules. */
export async function textInside(root: string, path: string): Promise<string | undefined> {
  // Most folders have none: their whole path is not walked.
  if ((await lstat(join(root, path)).catch(() => undefined)) === undefined) return undefined;
  const place = await resolvePath(root, path);
  if (!place.ok || !place.exists) return undefined;
  const size = await lstat(place.real).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > maxBytes) return undefined;
  const file = await loadFile(place.real, path, AbortSignal.timeout(readingMs));
  return file.ok ? shownTextOf(path, file.bytes) : undefined;
}

/** A file of this size is read at once, or its disk does not answer. */
const readingMs = 5_000;
