/** What is known of a skill before it is loaded. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Its SKILL.md, as people and the model are told it: relative to the workspace, or by its whole path. */
  readonly path: string;
}

/** By this name the tool gives the list of all. */
export const skillListName = 'list';
