/**
 * What the model does in a round: it reads the number and the kind of the round in the message and answers with the step
 * that the conversation has come to. Every effect is a line of its own, so that one that happened twice is seen.
 */
import type { Player, Step } from '../../players/player.ts';
import type { RequestView, ViewPart } from '../../view/request-view.ts';

export const roundKinds = ['turn', 'job', 'compaction', 'approval'] as const;
export type RoundKind = (typeof roundKinds)[number];

export function messageOf(round: number, kind: RoundKind): string {
  return `round ${round} ${kind}`;
}

export const killPlayer: Player = (view) => {
  const found = lastRound(view);
  if (found === undefined) return { text: 'A summary: commands were run, and nothing is open.' };
  return stepsOf(found.round, found.kind)[found.answered] ?? { text: `round ${found.round} is done` };
};

/** One line of effects; `i` counts within the round. */
const effect = (round: number, i: number) => `echo ${round}-${i} >> effects`;

function stepsOf(round: number, kind: RoundKind): readonly Step[] {
  const shell = (command: string): Step => ({ calls: [{ name: 'shell', input: { command } }] });
  const line = (i: number) => effect(round, i);
  switch (kind) {
    case 'turn':
      return [shell(`${line(1)}; sleep 0.1`), shell(`${line(2)}; sleep 0.1`), shell(line(3))];
    case 'job':
      return [shell(`${line(1)}; sleep 0.7; ${line(2)}; exit 3`), shell(`(sleep 0.5; ${line(3)}) & ${line(4)}`)];
    case 'compaction':
      return [
        shell(`seq ${round}00000 ${round}01500; ${line(1)}`),
        shell(`seq ${round}50000 ${round}51500; ${line(2)}`),
      ];
    case 'approval':
      return [shell(line(1)), shell(line(2))];
  }
}

interface Found {
  readonly round: number;
  readonly kind: RoundKind;
  /** Answers that the conversation has since. */
  readonly answered: number;
}

/** Undefined: the newest word of the user's side is not about a round. */
function lastRound({ messages }: RequestView): Found | undefined {
  const at = messages.findLastIndex(({ role, parts }) => role === 'user' && parts.some((part) => roundIn(part)));
  const round = messages[at]?.parts.map(roundIn).findLast((one) => one !== undefined);
  const last = messages.at(-1)?.parts.at(-1);
  if (round === undefined || asksForSummary(last)) return undefined;
  return { ...round, answered: messages.slice(at).filter(({ role }) => role === 'assistant').length };
}

function roundIn(part: ViewPart): Pick<Found, 'round' | 'kind'> | undefined {
  if (part.kind !== 'text') return undefined;
  const [, round, name] = /(?:^|\n)round (\d+) (\w+)$/.exec(part.text) ?? [];
  const kind = roundKinds.find((one) => one === name);
  return kind === undefined ? undefined : { round: Number(round), kind };
}

function asksForSummary(last: ViewPart | undefined): boolean {
  return last?.kind === 'text' && /\bsummar(y|i[sz]e)\b/i.test(last.text) && roundIn(last) === undefined;
}
