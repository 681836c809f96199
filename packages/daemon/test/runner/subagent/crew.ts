/** A model that gives tasks away and, as a sub-agent, does what its task says. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Player, Step } from '@zerd/simulator/players/player';
import type { RequestView } from '@zerd/simulator/view/request-view';
import type { Scene } from '../harness.ts';

export interface Task {
  readonly prompt: string;
  readonly title?: string;
  readonly write?: boolean;
}

/** `lead`: the answers of the session that gives tasks; `crew`: those of a sub-agent, by how many it has given. */
export function crewPlayer(lead: readonly Step[], crew: (task: string, turn: number) => Step): Player {
  return (view, memory) => {
    const task = taskOf(view);
    if (task === undefined) return lead[memory.deliveredHere] ?? { text: 'Done.' };
    return crew(task, view.messages.filter(({ role }) => role === 'assistant').length);
  };
}

/** The text behind the facts of a sub-agent's first message; undefined: it is none. */
export function taskOf({ messages }: RequestView): string | undefined {
  const texts = (messages[0]?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : ''));
  const last = texts.find((text) => text.includes('You work as a sub-agent'));
  return last?.split('\n\n').slice(1).join('\n\n');
}

export function gives(...tasks: readonly Task[]): Step {
  return { calls: tasks.map((input) => ({ name: 'task', input })) };
}

export function eventsOf<K extends SessionEvent['kind']>(scene: Scene, sessionId: SessionId, kind: K) {
  const events = scene.events(sessionId).map(({ event }) => event);
  return events.filter((event): event is Extract<SessionEvent, { kind: K }> => event.kind === kind);
}

/** Outcome and text of the results, in the order in which they came. */
export function resultsOf(scene: Scene, sessionId: SessionId): readonly (readonly [string, string])[] {
  return eventsOf(scene, sessionId, 'toolCall.finished').map(({ outcome, shown }) => [outcome, shown] as const);
}

/** Settles when `holds` is true. */
export async function whenTrue(holds: () => boolean): Promise<void> {
  for (let times = 0; !holds(); times++) {
    // What is waited for may be in another process, or on the disk: turns of this one's loop say nothing of that.
    if (times > 25_000) throw new Error('It never came true.');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
