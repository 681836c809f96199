/** Runs streams against a test's gateway and gathers what comes out. */
import type { ModelEvent } from '@zerd/core/model/answer';
import type { JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import type { Decoder } from '../../src/decoder.ts';
import { type Deadlines, defaultDeadlines, type Provider } from '../../src/provider.ts';

export interface Running {
  readonly events: readonly ModelEvent[];
  readonly waits: readonly string[];
  readonly spent: readonly Usage[];
  readonly clock: ManualClock;
  readonly abort: AbortController;
  /** Settles with all events when the stream has ended. */
  readonly ended: Promise<readonly ModelEvent[]>;
}

export function run(provider: Provider, deadlines: Deadlines = defaultDeadlines): Running {
  const events: ModelEvent[] = [];
  const waits: string[] = [];
  const spent: Usage[] = [];
  const clock = manualClock();
  const abort = new AbortController();
  const onWait = (what: string, deadline: number) => waits.push(`${what} until ${deadline}`);
  const onSpent = (usage: Usage) => spent.push(usage);
  const stream = provider.stream({ model: 'm' }, { signal: abort.signal, deadlines, clock, onWait, onSpent });
  async function gather(): Promise<readonly ModelEvent[]> {
    for await (const event of stream) events.push(event);
    return events;
  }
  return { events, waits, spent, clock, abort, ended: gather() };
}

/** Gives the event loop turns until the condition holds; the test's own time limit is the only one. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** What a decoder makes of chunks, without a network. */
export function decodeAll<S>(decoder: Decoder<S>, chunks: readonly JsonValue[]): readonly ModelEvent[] {
  let state = decoder.initialState;
  const events: ModelEvent[] = [];
  for (const chunk of chunks) {
    const [next, news] = decoder.decode(state, chunk);
    state = next;
    events.push(...news);
    if (news.some((event) => event.kind === 'finished' || event.kind === 'failed')) return events;
  }
  return [...events, ...decoder.atEnd(state)];
}

/** Deltas of one channel joined and signs of life left out: how an answer is cut is the network's affair. */
export function essence(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const kept: ModelEvent[] = [];
  for (const event of events) {
    const last = kept.at(-1);
    if (event.kind === 'alive') continue;
    if (event.kind === 'delta' && last?.kind === 'delta' && last.channel === event.channel) {
      kept[kept.length - 1] = { ...last, text: last.text + event.text };
    } else kept.push(event);
  }
  return kept;
}
