/**
 * The notes and the list of steps of a session as Markdown, as people read and edit them, and back. Invariants: any text
 * can be read, and nothing in it is lost; what was written is read back as it was.
 */
import type { Notes } from './work-events.ts';

export const noteSections = ['goal', 'decisions', 'done', 'next'] as const satisfies readonly (keyof Notes)[];
export type NoteSection = (typeof noteSections)[number];

const allSections = [...noteSections, 'todo'] as const;

export interface KeptNotes {
  readonly notes: Notes;
  readonly todo: string;
}

const headings: Readonly<Record<NoteSection | 'todo', string>> = {
  goal: 'Goal',
  decisions: 'Decisions',
  done: 'Done',
  next: 'Next',
  todo: 'Todo',
};

/** Every section has its heading, so that it is seen where to write; with `only` those that hold something. */
export function notesMarkdown({ notes, todo }: KeptNotes, only: 'all' | 'filled' = 'all'): string {
  const texts = { ...notes, todo };
  return allSections
    .filter((name) => only === 'all' || (texts[name] ?? '') !== '')
    .map((name) => `## ${headings[name]}\n\n${texts[name] ? `${quoted(texts[name])}\n\n` : ''}`)
    .join('')
    .replace(/\n*$/, '\n');
}

/** An unknown heading belongs to the section that it stands in; what stands in front of all sections, to the goal. */
export function parseNotesMarkdown(text: string): KeptNotes {
  const lines: Record<NoteSection | 'todo', string[]> = { goal: [], decisions: [], done: [], next: [], todo: [] };
  let section: NoteSection | 'todo' = 'goal';
  for (const line of normalLines(text)) {
    const heading = headingOf(line);
    if (heading === undefined) lines[section].push(looksLikeHeading(line) ? line.slice(1) : line);
    else {
      section = heading;
      if (lines[section].length > 0) lines[section].push('');
    }
  }
  const { todo, ...sections } = lines;
  const filled = noteSections.flatMap((name) => {
    const kept = tidied(sections[name].join('\n'));
    return kept === '' ? [] : [[name, kept] as const];
  });
  return { notes: Object.fromEntries(filled), todo: tidied(todo.join('\n')) };
}

/** As sections are kept: LF, without empty lines around. */
export function tidied(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
}

function normalLines(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
}

function headingOf(line: string): NoteSection | 'todo' | undefined {
  const [, word] = /^## +(\w+)\s*$/.exec(line) ?? [];
  return allSections.find((name) => name === word?.toLowerCase());
}

/** A line of a text that looks like a heading gets a mark in front, which is taken off again. */
function quoted(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => (headingOf(line) || looksLikeHeading(line) ? `\\${line}` : line)).join('\n');
}

function looksLikeHeading(line: string): boolean {
  const bare = line.replace(/^\\+/, '');
  return bare !== line && headingOf(bare) !== undefined;
}
