/** A skill that a person calls by its name, as a command is: `/name` and what is said with it. Pure. */

export interface CalledSkill {
  readonly name: string;
  readonly path: string;
}

export interface TypedCommand {
  readonly name: string;
  readonly rest: string;
}

/** `/name rest`; undefined: it is no command. */
export function commandIn(text: string): TypedCommand | undefined {
  const [, name, rest = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  return name === undefined ? undefined : { name, rest: rest.trim() };
}

/** What the model is told; undefined: there is no such skill. A session that is older than the skill has no list of it. */
export function skillCall({ name, rest }: TypedCommand, skills: readonly CalledSkill[]): string | undefined {
  const skill = skills.find((one) => one.name === name);
  if (skill === undefined) return undefined;
  const words = `Use the skill ${name} (${skill.path})`;
  return rest === '' ? `${words}.` : `${words}: ${rest}`;
}
