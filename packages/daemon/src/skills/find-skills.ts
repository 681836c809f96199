/**
 * Does: finds the skills of the workspace and of the user, by their SKILL.md. Invariants: the workspace is looked at only
 * when it is trusted (I7), and nothing of it that leads out of it is followed; only regular files are opened, and of each
 * no more than its head is read.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ChosenSkills, chooseSkills } from '@zerd/core/skills/found';
import { isSkillName, mostHeadBytes, readHead } from '@zerd/core/skills/head';
import type { FoundSkill } from '../base/memory-ports.ts';
import { errorCode } from '../files/fs-failure.ts';
import { resolvePath } from '../files/resolve.ts';
import { readBeginning } from './read-beginning.ts';
import { loadYaml, type ReadYaml } from './yaml.ts';

export interface SkillPlaces {
  /** The workspace: a real path; undefined: it is not trusted. */
  readonly root: string | undefined;
  /** Folders of the user that hold `skills/`. */
  readonly userFolders: readonly string[];
  /** Globs on names. */
  readonly exclude: readonly string[];
}

/** Those that count most first. */
const projectFolders = ['.zerd', '.claude', '.agents'];
/** More in one folder are not looked at. */
const mostEntries = 5_000;
const atOnce = 16;

export async function findSkills({ root, userFolders, exclude }: SkillPlaces): Promise<ChosenSkills<FoundSkill>> {
  const places = await Promise.all([
    ...(root === undefined ? [] : projectFolders.map((folder) => inProject(root, `${folder}/skills`))),
    ...userFolders.map((folder) => outside(join(folder, 'skills'))),
  ]);
  const looked = await lookAtAll(places.flat());
  const found = looked.flatMap(({ skill }) => skill ?? []);
  const { skills, warnings } = chooseSkills(withoutTwins(found), exclude);
  return { skills, warnings: [...looked.flatMap(({ warning }) => warning ?? []), ...warnings] };
}

/** A folder that should hold a skill, under the name by which people are told it. */
interface Entry {
  readonly shown: string;
  /** The real path of a file in it; undefined: there is none. */
  readonly resolve: (name: string) => Promise<string | Problem | undefined>;
  readonly project: boolean;
}

interface Problem {
  readonly problem: string;
}

async function inProject(root: string, skills: string): Promise<readonly Entry[]> {
  const resolve = async (path: string) => {
    const place = await resolvePath(root, path);
    if (place.ok) return place.exists ? place.real : undefined;
    return { problem: 'leads out of the workspace' };
  };
  const folder = await resolve(skills);
  if (folder === undefined) return [];
  // A folder that leads out is one entry, which says so.
  const names = typeof folder === 'string' ? await namesIn(folder) : [''];
  if ('problem' in names) return [unreadable(skills, true, names)];
  return names.map((name) => {
    const shown = name === '' ? skills : `${skills}/${name}`;
    return { shown, project: true, resolve: (file) => resolve(file === '' ? shown : `${shown}/${file}`) };
  });
}

async function outside(skills: string): Promise<readonly Entry[]> {
  const names = await namesIn(skills);
  if ('problem' in names) return [unreadable(skills, false, names)];
  return names.map((name) => {
    const shown = join(skills, name);
    return { shown, project: false, resolve: (file) => realPlace(join(shown, file)) };
  });
}

/** One entry that says why there are no others. */
function unreadable(shown: string, project: boolean, problem: Problem): Entry {
  return { shown, project, resolve: async () => problem };
}

function realPlace(path: string): Promise<string | Problem | undefined> {
  return realpath(path).catch((error: unknown) => {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { problem: `cannot be reached (${code})` };
  });
}

/** Names of folders and links, in one order on every file system. */
async function namesIn(folder: string): Promise<readonly string[] | Problem> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : { problem: `cannot be read (${code})` };
  }
  const names = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
  return names.sort().slice(0, mostEntries);
}

interface Looked {
  readonly skill?: FoundSkill;
  readonly warning?: string;
}

async function lookAtAll(entries: readonly Entry[]): Promise<readonly Looked[]> {
  if (entries.length === 0) return [];
  const readYaml = await loadYaml();
  const looked: Looked[] = [];
  for (let at = 0; at < entries.length; at += atOnce)
    looked.push(...(await Promise.all(entries.slice(at, at + atOnce).map((entry) => look(entry, readYaml)))));
  return looked;
}

async function look({ shown, resolve, project }: Entry, readYaml: ReadYaml): Promise<Looked> {
  const path = `${shown}/SKILL.md`;
  const leftOut = (problem: string) => ({ warning: `${path} ${problem}; it is left out.` });
  const [folder, file] = await Promise.all([resolve(''), resolve('SKILL.md')]);
  if (folder === undefined || file === undefined) return {};
  if (typeof folder !== 'string') return leftOut(folder.problem);
  if (typeof file !== 'string') return leftOut(file.problem);
  const begun = await readBeginning(file, mostHeadBytes);
  if (!begun.ok) return leftOut(begun.problem);
  const head = readHead(begun.text, readYaml);
  if (!head.ok) return leftOut(head.problem);
  const name = head.name ?? basename(shown);
  if (!isSkillName(name)) return leftOut('has no name that can be one');
  return { skill: { name, description: head.description, path, file, folder, project } };
}

/** One folder under two names (`.claude/skills` linked to `.agents/skills`) is one skill. */
function withoutTwins(found: readonly FoundSkill[]): readonly FoundSkill[] {
  const first = new Map(found.toReversed().map((skill) => [skill.file, skill]));
  return found.filter((skill) => first.get(skill.file) === skill);
}
