/**
 * The tasks of the player: the work of each round, and behind it the uses of facts that were learned some steps ago, a few
 * or many. Every fact is used once, and what was seen of it goes into a file. A round ends with a text: the user is next.
 */
import type { Fact } from '../../players/fact.ts';
import type { Step } from '../../players/player.ts';
import type { Task } from '../../players/remembering.ts';
import type { Round, Work } from './rounds.ts';

/** In steps of work; some are used at once, others after most of the session. */
const distances = [3, 7, 12, 20, 31, 44, 58];

export function tasksOf(rounds: readonly Round[]): readonly Task[] {
  const works = rounds.flatMap((round) => round.works.map((work, i) => (i === 0 ? withSaid(work, round) : work)));
  const due = dueFacts(works);
  const ends = new Set(
    rounds.map((_, i) => rounds.slice(0, i + 1).reduce((sum, round) => sum + round.works.length, 0) - 1),
  );
  return works.flatMap((work, at): readonly Task[] => [
    { kind: 'step', step: workStep(work, at) },
    ...(due.get(at) ?? []).map(useOf),
    ...(ends.has(at) ? [{ kind: 'step', step: { text: endText(at) } } as const] : []),
  ]);
}

export function factsOf(tasks: readonly Task[]): readonly Fact[] {
  return tasks.flatMap((task) => (task.kind === 'use' ? [task.fact] : []));
}

/** The disk says what the player took each fact for. */
export function notePath({ id }: Fact): string {
  return `notes/${id}.txt`;
}

export function noteText({ id }: Fact, value: string): string {
  return `${id}: ${value}\n`;
}

function withSaid({ calls, learns }: Work, { said }: Round): Work {
  return { calls, learns: [...said, ...learns] };
}

/** By the step behind which they are used. */
function dueFacts(works: readonly Work[]): ReadonlyMap<number, readonly Fact[]> {
  const due = new Map<number, Fact[]>();
  let count = 0;
  works.forEach(({ learns }, at) => {
    for (const fact of learns) {
      const later = at + (distances[count % distances.length] ?? 0);
      const place = Math.min(later, works.length - 1);
      due.set(place, [...(due.get(place) ?? []), fact]);
      count += 1;
    }
  });
  return due;
}

function useOf(fact: Fact): Task {
  return {
    kind: 'use',
    fact,
    step: (value) => ({
      text: `Now ${fact.id} is needed, and I know it: it goes into its note, so that whoever reads the notes finds it there.`,
      calls: [{ name: 'write', input: { path: notePath(fact), content: noteText(fact, value) } }],
    }),
  };
}

/** What a model says beside its calls: it is never cleared. */
function workStep({ calls }: Work, at: number): Step {
  const about = calls.map(({ name }) => name).join(' and ');
  const text = `Step ${at + 1}. The step before has shown what I wanted to know, so I go on with ${about}: what it brings decides which of the open points of this folder comes next, and which of the numbers that were agreed are needed for it.`;
  return { text, calls };
}

function endText(at: number): string {
  return `This folder is done after ${at + 1} steps: its files were read, its check was run, its settings were mended, and what was asked for is in notes/. The check still names one error, which is for the owner of the folder to decide.`;
}
