/** A player is the model: it looks at what it was sent and says what it answers. */
import type { Fault } from '../faults/fault.ts';
import type { RequestView } from '../view/request-view.ts';

export type Stop = 'end' | 'toolUse' | 'maxTokens' | 'refusal' | 'pause' | 'contextFull';

export interface StepCall {
  readonly name: string;
  /** The arguments; `inputText` instead sends exactly that text, JSON or not. */
  readonly input?: unknown;
  readonly inputText?: string;
  /** The provider's id of the call; one is made when absent. */
  readonly id?: string;
}

export interface StepUsage {
  readonly uncached?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
}

/** One answer: reasoning, then text, then calls. An empty step is an answer without content. */
export interface Step {
  readonly reasoning?: string;
  readonly text?: string;
  /** Characters of the text in each of its deltas (not on the responses wire); default: enough for at most 400. */
  readonly deltaLength?: number;
  readonly calls?: readonly StepCall[];
  /** Default: toolUse with calls, else end. */
  readonly stop?: Stop;
  /** What goes wrong the first time this step is given (`faultTimes` times, default 1). */
  readonly fault?: Fault | readonly Fault[];
  readonly faultTimes?: number;
  /** Blocks of earlier reasoning that the provider says it kept from the model. */
  readonly removedReasoning?: number;
  /** Overrides what is reported; 'none': nothing is. */
  readonly usage?: StepUsage | 'none';
  /** Moves the virtual clock before the request is weighed. */
  readonly advanceMs?: number;
  /** The answer begins when this settles: until then nobody reads what its request writes into the cache. */
  readonly begins?: PromiseLike<unknown>;
  /** An answer beside the script: its cursor does not move. */
  readonly aside?: true;
  /** Marks the step that mends the sample: a script can be played without it. */
  readonly fix?: boolean;
}

export interface Memory {
  /** Answers that were delivered whole: by this gateway, and in the conversation of this request. */
  readonly delivered: number;
  readonly deliveredHere: number;
  /** For players that remember; one map a conversation. */
  readonly notes: Map<string, unknown>;
}

export type Player = (view: RequestView, memory: Memory) => Step;
