/** One answer, ready to be spoken on any wire, and what a stream is made of. */
import type { Step, Stop } from '../players/player.ts';
import type { Json } from '../wire.ts';

/** Tokens as a provider counts them: the prompt is uncached + cacheRead + cacheWrite. */
export interface AnswerUsage {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  readonly inputText: string;
}

export interface Answer {
  /** The number of the request; ids are made of it. */
  readonly n: number;
  readonly model: string;
  /** Seconds of the epoch. */
  readonly created: number;
  readonly reasoning: string;
  readonly text: string;
  readonly deltaLength?: number | undefined;
  readonly calls: readonly AnswerCall[];
  readonly stop: Stop;
  /** null: the endpoint reports none. */
  readonly usage: AnswerUsage | null;
  readonly includeUsage: boolean;
  /** What the provider says of its cache; absent: it was not asked. */
  readonly diagnosis?: Json | null;
  readonly removedReasoning: number;
}

/** One server-sent event. `part` says what it is, so that faults find their place. */
export interface Frame {
  readonly part: 'start' | 'output' | 'toolInput' | 'ping' | 'end';
  readonly event?: string;
  readonly data: string;
}

export function makeAnswer(
  step: Step,
  about: Pick<Answer, 'n' | 'model' | 'created' | 'usage' | 'includeUsage' | 'diagnosis'> & {
    readonly idPrefix: string;
  },
): Answer {
  const { idPrefix, ...rest } = about;
  const calls = callsOf(step, `${idPrefix}_${about.n}`);
  const stop = step.stop ?? (calls.length > 0 ? 'toolUse' : 'end');
  const { removedReasoning = 0, reasoning = '', text = '', deltaLength } = step;
  return { ...rest, removedReasoning, reasoning, text, deltaLength, calls, stop };
}

export function callsOf(step: Step, idBase: string): readonly AnswerCall[] {
  return (step.calls ?? []).map((call, i) => ({
    id: call.id ?? `${idBase}_${i + 1}`,
    name: call.name,
    inputText: call.inputText ?? JSON.stringify(call.input ?? {}),
  }));
}

/** Cuts a text into the pieces of its deltas: small ones, at most a few hundred, never inside a character. */
export function pieces(text: string, size: number = Math.max(24, Math.ceil(text.length / 400))): readonly string[] {
  const out: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + size);
    out.push(text.slice(from, to));
    from = to;
  }
  return out;
}

function endOfPiece(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at + 1 : at;
}
