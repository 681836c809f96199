/** The usual clock an hour ahead of the files: what was written just now would count as changed. */
import { type Clock, systemClock } from '@zerd/protocol/node/clock';

export const laterClock: Clock = { ...systemClock, wall: () => systemClock.wall() + 3_600_000 };
