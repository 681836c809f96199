/**
 * Loads a skill: the text of its SKILL.md behind the head, and which files belong to it. `name/file` gives one of those.
 * Invariant: nothing outside the skill's own folder is given, links followed; what is there already is decided as for a
 * read.
 */
import { mostHeadBytes, readHead } from '@zerd/core/skills/head';
import { wholeList } from '@zerd/core/skills/list';
import { skillListName } from '@zerd/core/skills/skill';
import { linesOf } from '@zerd/core/text/lines';
import type { FoundSkill } from '../../base/memory-ports.ts';
import type { ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed, untilAborted } from '../../base/tool-answer.ts';
import { bytesText } from '../../files/load-file.ts';
import { resolvePath } from '../../files/resolve.ts';
import { shownText } from '../../files/shown-text.ts';
import { loadText, type TextFile } from '../../files/text-file.ts';
import { filesOf } from './files-of.ts';

/** More is no instruction. */
const mostBytes = 1024 * 1024;

export const run: ToolRun<'skill'> = async ({ name }, context) => {
  return untilAborted(context.signal, `skill ${name}: interrupted.`, async () => {
    const skills = (await context.skills?.()) ?? [];
    const wanted = name.trim();
    if (wanted === skillListName && skills.length > 0)
      return { outcome: 'ok', body: { kind: 'text', text: wholeList(skills) }, head: `${skills.length} skills` };
    const [own = '', ...rest] = wanted.split('/');
    const skill = skills.find((one) => one.name === own);
    if (skill === undefined) return failed(unknownSkill(own, skills));
    return rest.length === 0 ? loadSkill(skill, context) : loadFileOf(skill, rest.join('/'), context);
  });
};

const mostNames = 40;

function unknownSkill(name: string, skills: readonly FoundSkill[]): string {
  const names = skills.map((skill) => skill.name);
  const near = names.filter((one) => one.toLowerCase().includes(name.toLowerCase()) && name !== '');
  const shown = (near.length > 0 ? near : names).slice(0, mostNames);
  const others = shown.length === 0 ? 'There are none.' : `There are: ${shown.join(', ')}${more(names, shown)}.`;
  return `There is no skill ${JSON.stringify(name.slice(0, 80))}. ${others}`;
}

function more(names: readonly string[], shown: readonly string[]): string {
  return names.length > shown.length ? ` and ${names.length - shown.length} more (skill ${skillListName})` : '';
}

async function loadSkill(skill: FoundSkill, context: ToolContext): Promise<ToolResult> {
  const file = await loadText(skill.file, skill.path, context.signal);
  if (!file.ok) return failed(file.message);
  const text = shownText(skill.path, file).text;
  // The model has the head from the list.
  const head = readHead(text.slice(0, mostHeadBytes), () => ({ description: '-' }));
  const first = head.ok ? firstLine(text, head.bodyLine) : 1;
  const files = await filesOf(skill.folder);
  const foot =
    files.length === 0 ? undefined : `[files of this skill, for skill {"name":"${skill.name}/<file>"}: ${files}]`;
  const at = `skill ${skill.name}, in ${skill.project ? folderOf(skill.path) : skill.folder}`;
  return shown(file, { text, first, foot, at, path: await pathOf(skill, context) });
}

/** Empty lines behind the head say nothing. */
function firstLine(text: string, bodyLine: number): number {
  const lines = linesOf(text);
  const found = lines.findIndex((line, index) => index + 1 >= bodyLine && line.trim() !== '');
  return found < 0 ? 1 : found + 1;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Of the workspace's own by the path that a read would give, so that both know of each other. */
async function pathOf(skill: FoundSkill, { root }: ToolContext): Promise<string> {
  if (!skill.project) return `skill:${skill.name}`;
  const place = await resolvePath(root, skill.path);
  return place.ok ? place.path : `skill:${skill.name}`;
}

async function loadFileOf(skill: FoundSkill, name: string, context: ToolContext): Promise<ToolResult> {
  const label = `${skill.name}/${name}`;
  const place = await resolvePath(skill.folder, name);
  if (!place.ok) return failed(`${label} is no file of the skill ${skill.name}: it lies outside its folder.`);
  const file = await loadText(place.real, label, context.signal);
  if (!file.ok) return failed(`${file.message} Files of this skill: ${(await filesOf(skill.folder)) || 'none'}.`);
  return shown(file, {
    text: shownText(name, file).text,
    first: 1,
    foot: undefined,
    at: label,
    path: `skill:${skill.name}/${place.path}`,
  });
}

interface Part {
  readonly text: string;
  readonly first: number;
  readonly foot: string | undefined;
  /** The head of the result. */
  readonly at: string;
  readonly path: string;
}

function shown(file: TextFile, { text, first, foot, at, path }: Part): ToolResult {
  if (file.bytes.length > mostBytes) {
    return failed(
      `${at} is too large for a skill: ${bytesText(file.bytes.length)}, the most is ${bytesText(mostBytes)}.`,
    );
  }
  const lines = linesOf(text);
  const rows = lines.slice(first - 1);
  const content = { hash: file.hash, bytes: file.bytes, text };
  const view = {
    path,
    hash: file.hash,
    lines: lines.length,
    first,
    rows,
    content,
    ...(foot === undefined ? {} : { foot }),
  };
  // A file of the workspace counts as seen; another is nobody's to watch.
  const files = path.startsWith('skill:') ? [] : [{ path, hash: file.hash, how: 'read' as const }];
  const body = { kind: 'text' as const, text: [...rows, ...(foot === undefined ? [] : [foot])].join('\n') };
  return { outcome: 'ok', head: at, body, files, ...(rows.length === 0 ? {} : { view }) };
}
