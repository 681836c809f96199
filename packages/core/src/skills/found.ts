/**
 * Decides which of the skills that were found a session has, in which order, and what people are told of the others.
 * Invariant: the same folders give the same list; nothing is left out in silence, what the user excluded aside.
 */
import { parseGlob } from '../search/glob.ts';
import { type Skill, skillListName } from './skill.ts';

export interface ChosenSkills<S extends Skill> {
  /** By name; the order of code units, whatever the locale. */
  readonly skills: readonly S[];
  readonly warnings: readonly string[];
}

/** `found`: those that count most first. `exclude`: globs on names. */
export function chooseSkills<S extends Skill>(found: readonly S[], exclude: readonly string[]): ChosenSkills<S> {
  const globs = exclude.map(parseGlob);
  const chosen = new Map<string, S>();
  const warnings: string[] = [];
  for (const skill of found) {
    if (globs.some((glob) => glob.matches(skill.name))) continue;
    const first = chosen.get(skill.name);
    if (skill.name === skillListName)
      warnings.push(`${skill.path}: a skill cannot be called ${skillListName}; it is left out.`);
    else if (first !== undefined)
      warnings.push(`${skill.path}: there is a skill ${skill.name} already, in ${first.path}; this one is left out.`);
    else chosen.set(skill.name, skill);
  }
  const skills = [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills, warnings };
}
