/** What a player will need later: how a request shows it, and how it can be asked for when none does. */
import type { RequestView } from '../view/request-view.ts';
import type { StepCall } from './player.ts';
import { callsIn, textsIn } from './shown-texts.ts';

export interface Fact {
  readonly id: string;
  /** What it must turn out to be. */
  readonly value: string;
  /** What the request shows it to be: the newest mention counts. undefined: it does not say. */
  readonly seenIn: (view: RequestView) => string | undefined;
  /** In the order in which they are tried; none: it must be visible as long as it is needed. */
  readonly ways: readonly Way[];
}

export type Way =
  /** Asks the archive for what `source` brought, under an id that the request names. */
  | { readonly kind: 'recall'; readonly source: StepCall; readonly part: RecalledPart }
  | { readonly kind: 'call'; readonly call: StepCall };

export type RecalledPart =
  | { readonly pattern: string }
  | { readonly offset: number; readonly limit: number }
  | Readonly<Record<string, never>>;

/** The first group of the pattern, wherever it stands: in a message, a result or the arguments of a call. */
export function shownAs(pattern: RegExp): Fact['seenIn'] {
  return (view) => {
    for (const text of [...textsIn(view)].reverse()) {
      const found = [...text.matchAll(new RegExp(pattern.source, 'g'))].at(-1);
      if (found !== undefined) return found[1];
    }
    return undefined;
  };
}

/** How a command ended: the head line of its newest result, or a line that names both. */
export function exitOf(command: string): Fact['seenIn'] {
  const told = shownAs(new RegExp(`exit (\\d+): ${command.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![^\n])`));
  return (view) => {
    const runs = callsIn(view).filter(({ name, input }) => name === 'shell' && input.command === command);
    const heads = runs.map(({ result = '' }) => /^exit (\d+)/.exec(result)?.[1]);
    return heads.findLast((status) => status !== undefined) ?? told(view);
  };
}
