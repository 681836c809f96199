/** Sessions for the tests of compactions: a model that reads a file a request, and sums up when it is asked to. */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Memory, Player, Step } from '@zerd/simulator/players/player';
import type { RequestView } from '@zerd/simulator/view/request-view';
import type { ManualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

/** The scene of the running test. */
export let scene: Scene;

export const closeScene = (): Promise<void> => scene.close();

export async function open(wish: SceneWish): Promise<Scene> {
  scene = await openScene(wish);
  return scene;
}

export type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

export const only = <K extends SessionEvent['kind']>(events: readonly LoggedEvent[], kind: K) =>
  events.flatMap(({ event }) => (event.kind === kind ? [event as EventOf<K>] : []));
export const kinds = (events: readonly LoggedEvent[]) => events.map(({ event }) => event.kind);

/** A model of its own for summaries, with a small window. */
export const small = { context: { summarizer: 'sim/small' } };

export const prose = 'The counters are found and the first two are mended; the third is next.';

/** Reads a file a request, `times` of them, and is done; when it is asked for a summary it gives `summary`. */
export function reader(times: number, summary: Step | ((n: number) => Step) = { text: prose }): Player {
  let read = 0;
  let asked = 0;
  return (view: RequestView, _memory: Memory): Step => {
    if (asksForSummary(view)) return { aside: true, ...(typeof summary === 'function' ? summary(++asked) : summary) };
    if (read >= times) return { text: 'Done.' };
    read += 1;
    return { reasoning: `Thought ${read}.`, calls: [{ name: 'read', input: { path: `f${read}.txt` } }] };
  };
}

export function asksForSummary({ messages }: RequestView): boolean {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.kind === 'text' && last.text.startsWith('Write a summary');
}

export function filesOf(count: number, lines: number): Record<string, string> {
  const body = (n: number) => Array.from({ length: lines }, (_, i) => `file ${n} line ${i} of all\n`).join('');
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n + 1}.txt`, body(n + 1)]));
}

export async function readAll(times: number, more: SceneWish = {}): Promise<SessionId> {
  const { say } = await open({ player: reader(times), files: filesOf(times, 60), ...more });
  const { sessionId, end } = await say('Mend the counters. Never touch f9.txt.');
  await end;
  return sessionId;
}

export async function compact(sessionId: SessionId): Promise<EventOf<'turn.finished'>> {
  const { runner, env, events } = scene;
  const { turnId } = await runner.compact({ sessionId, env, trust: true });
  await eventually(() => only(events(sessionId), 'turn.finished').some((end) => end.turnId === turnId));
  return only(events(sessionId), 'turn.finished').at(-1) as EventOf<'turn.finished'>;
}

export function textOf(request: Scene['gateway']['requests'][number] | undefined): string | undefined {
  const part = request?.conversation.messages.at(-1)?.parts.at(-1);
  return part?.kind === 'text' ? part.text : undefined;
}

export async function sayOn(sessionId: SessionId, text: string): Promise<void> {
  const ended = only(scene.events(sessionId), 'turn.finished').length;
  await scene.say(text, { sessionId });
  await eventually(() => only(scene.events(sessionId), 'turn.finished').length > ended);
}

export async function drive<T>(clock: ManualClock, work: () => Promise<T>): Promise<T> {
  const driving = setInterval(() => clock.advance(1_000), 4);
  try {
    return await work();
  } finally {
    clearInterval(driving);
  }
}

/** Looks again until it holds; jest's own limit ends a wait for what never comes. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
