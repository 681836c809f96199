/**
 * What the model was told of outside tools, as the fold of the log has it. Invariant: what stands here is in the prompt:
 * a compaction that takes the words away takes the knowledge with it.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';

type About = Extract<Extract<SessionEvent, { kind: 'reminder.added' }>['about'], { kind: 'outsideTools' }>;
export type TellingOfServer = About['servers'][number];

export interface ToldServer {
  readonly state: TellingOfServer['state'];
  /** Its tools as the model knows them; undefined: it knows of none. */
  readonly tools: TellingOfServer['tools'];
  /** The event with the words that all later ones lean on. */
  readonly seq: number;
  /** How often the model was told of it since. */
  readonly times: number;
}

export type ToldServers = ReadonlyMap<string, ToldServer>;

export function toldAfterServers(
  told: ToldServers,
  servers: readonly TellingOfServer[],
  seq: number,
): readonly (readonly [string, ToldServer])[] {
  return servers.map(({ name, state, tools }) => {
    const before = told.get(name);
    const known = tools ?? before?.tools;
    const times = (before?.times ?? 0) + 1;
    return [name, { state, tools: known, seq: before?.tools === undefined ? seq : before.seq, times }];
  });
}

export function toldBehind(told: ToldServers, throughSeq: number): ToldServers {
  return new Map([...told].filter(([, { seq }]) => seq > throughSeq));
}
