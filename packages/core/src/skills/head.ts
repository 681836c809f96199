/**
 * Reads the head of a SKILL.md: the YAML between the two lines `---` at its beginning. The reader of YAML is handed in,
 * and what it gives is only ever looked at as data. Invariant: a name and a description come out as one short line each.
 */

export interface SkillHead {
  readonly ok: true;
  /** Undefined: the head gives none, the folder's name stands for it. */
  readonly name: string | undefined;
  readonly description: string;
  /** The number of the first line behind it, from 1. */
  readonly bodyLine: number;
}

export interface BrokenHead {
  readonly ok: false;
  /** `has no head`: goes on from the file's name. */
  readonly problem: string;
}

/** Throws for what is not YAML. */
export type ReadYaml = (text: string) => unknown;

export const mostHeadBytes = 16 * 1024;
const mostNameChars = 64;

export function readHead(text: string, readYaml: ReadYaml): SkillHead | BrokenHead {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return broken('does not begin with a head between two lines `---`');
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return broken('has a head without end: a line `---` is missing');
  let value: unknown;
  try {
    value = readYaml(lines.slice(1, end).join('\n'));
  } catch (error) {
    return broken(`has a head that is not YAML: ${oneLine(String((error as { message?: unknown }).message ?? error))}`);
  }
  return fieldsOf(value, end + 2);
}

function fieldsOf(value: unknown, bodyLine: number): SkillHead | BrokenHead {
  const name = textOf(value, 'name');
  const description = textOf(value, 'description');
  if (description === undefined) return broken('has no description in its head');
  if (name === undefined) return { ok: true, name, description, bodyLine };
  if ([...name].length > mostNameChars) return broken(`has a name of more than ${mostNameChars} characters`);
  if (!isSkillName(name)) return broken(`has a name that cannot be one: ${JSON.stringify(name)}`);
  return { ok: true, name, description, bodyLine };
}

/** One word of printable characters: a slash begins a file of the skill. */
export function isSkillName(name: string): boolean {
  return /^[^\s/\\,\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+(?: [^\s/\\,\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+)*$/u.test(
    name,
  );
}

function textOf(value: unknown, field: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  const text = (value as Readonly<Record<string, unknown>>)[field];
  const line = typeof text === 'string' ? oneLine(text) : '';
  return line === '' ? undefined : line;
}

/** What cannot be seen is no part of a line that goes into the system text (S-63). */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Surrogate}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();
}

function broken(problem: string): BrokenHead {
  return { ok: false, problem };
}
