/**
 * Reads a list of steps, one `[ ] step` a line. Invariant: a line that is no step stays in the list as it is, and is
 * named.
 */

export interface Step {
  readonly state: 'open' | 'doing' | 'done';
  readonly text: string;
}

export interface ReadTodo {
  readonly steps: readonly Step[];
  /** Lines that are none, with their number from 1. */
  readonly malformed: readonly { readonly line: number; readonly text: string }[];
}

const states: Readonly<Record<string, Step['state']>> = { ' ': 'open', '>': 'doing', x: 'done', X: 'done' };

/** A bullet in front is let through: models write them. */
const stepLine = /^\s*(?:[-*] +)?\[([ >xX])\]\s*(\S.*)$/;

export function readTodo(list: string): ReadTodo {
  const steps: Step[] = [];
  const malformed: ReadTodo['malformed'][number][] = [];
  list.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const [, mark = '', text = ''] = stepLine.exec(line) ?? [];
    const state = states[mark];
    if (state === undefined) malformed.push({ line: index + 1, text: line.trim() });
    else steps.push({ state, text: text.trim() });
  });
  return { steps, malformed };
}

/** `3 of 7 done` */
export function doneText({ steps }: Pick<ReadTodo, 'steps'>): string {
  return `${steps.filter(({ state }) => state === 'done').length} of ${steps.length} done`;
}

/** The step that is being done, else the first that is open; undefined: all are done. */
export function currentStep({ steps }: Pick<ReadTodo, 'steps'>): Step | undefined {
  return steps.find(({ state }) => state === 'doing') ?? steps.find(({ state }) => state === 'open');
}

const mostNamed = 5;
const mostChars = 60;

/** What the model is answered. */
export function todoAnswer(list: string): string {
  if (list.trim() === '') return 'The list is empty now.';
  const read = readTodo(list);
  const { malformed } = read;
  const named = malformed
    .slice(0, mostNamed)
    .map(({ line, text }) => `line ${line} ${JSON.stringify(shortened(text))}`);
  const more = malformed.length - named.length;
  if (named.length === 0) return doneText(read);
  const lines = [...named, ...(more === 0 ? [] : [`${more} more`])].join(', ');
  return `${doneText(read)}; kept as they are, but no steps, without [ ], [>] or [x]: ${lines}`;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > mostChars ? `${characters.slice(0, mostChars - 1).join('')}…` : text;
}
