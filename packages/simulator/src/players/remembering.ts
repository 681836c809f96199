/**
 * A model that works through a list of tasks and needs facts on the way. Before it uses one it looks whether the request
 * still shows it; if not, it asks again through tools, one call at a time, and counts each. What a bounded number of calls
 * does not bring back, or what turns out to be another value, is lost. Invariant: it knows nothing but what it was sent.
 */
import type { RequestView } from '../view/request-view.ts';
import { archiveIds } from './archive-ids.ts';
import type { Fact } from './fact.ts';
import type { Player, Step, StepCall } from './player.ts';

export type Task =
  | { readonly kind: 'step'; readonly step: Step }
  /** What is done with a fact, once it is known. */
  | { readonly kind: 'use'; readonly fact: Fact; readonly step: (value: string) => Step };

export interface LostFact {
  readonly id: string;
  /** One line for people. */
  readonly why: string;
}

export interface Remembering {
  readonly player: Player;
  /** Calls that were made to get a fact back. */
  readonly extraCalls: () => number;
  readonly lost: () => readonly LostFact[];
}

/** Calls that are made for one fact at most. */
const mostCalls = 6;

export function rememberingPlayer(tasks: readonly Task[]): Remembering {
  const lost: LostFact[] = [];
  let extraCalls = 0;
  let at = 0;
  let search = createSearch();
  let last: { readonly delivered: number; readonly step: Step } | undefined;

  function nextStep(view: RequestView): Step {
    for (let task = tasks[at]; task !== undefined; task = tasks[at]) {
      if (task.kind === 'step') return done(task.step);
      const { fact } = task;
      const value = fact.seenIn(view);
      if (value === fact.value) return done(task.step(value));
      const call = value === undefined ? search.next(view, fact) : undefined;
      if (call !== undefined) {
        extraCalls += 1;
        return { text: `What ${fact.id} is stands no longer above.`, calls: [call] };
      }
      lost.push({
        id: fact.id,
        why: value === undefined ? search.told() : `it is ${fact.value} and shown as ${value}`,
      });
      skip();
    }
    return { text: 'done' };
  }

  function done(step: Step): Step {
    skip();
    return step;
  }

  function skip(): void {
    at += 1;
    search = createSearch();
  }

  return {
    // A request that is sent again gets the same step again.
    player: (view, { delivered }) => {
      if (last?.delivered !== delivered) last = { delivered, step: nextStep(view) };
      return last.step;
    },
    extraCalls: () => extraCalls,
    lost: () => lost,
  };
}

/** Goes through the ways to one fact, and through the ids that each of them may mean. */
function createSearch() {
  const asked: string[] = [];
  return {
    /** undefined: nothing is left to try. */
    next(view: RequestView, { ways }: Fact): StepCall | undefined {
      if (asked.length >= mostCalls) return undefined;
      const calls = ways.flatMap((way): readonly StepCall[] => {
        if (way.kind === 'call') return [way.call];
        return archiveIds(view, way.source).map((id) => ({ name: 'recall', input: { id, ...way.part } }));
      });
      const call = calls.find((wish) => !asked.includes(wordsOf(wish)));
      if (call !== undefined) asked.push(wordsOf(call));
      return call;
    },
    told: () => (asked.length === 0 ? 'nothing is left to ask for it' : `not brought back by ${asked.join('; ')}`),
  };
}

function wordsOf({ name, input }: StepCall): string {
  return `${name} ${JSON.stringify(input)}`;
}
