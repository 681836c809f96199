/** What the parts of the jobs room share. */
import type { JobId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Log } from '../base/log.ts';
import type { Archive, Store } from '../base/ports.ts';
import { createWaits, type Waits } from '../base/waits.ts';
import { endTree, killTree } from '../processes/process-tree.ts';
import { type JobFolders, openJobFolders } from './folder.ts';
import type { OpenHost } from './host-process.ts';
import type { Tracked } from './tracked.ts';

export interface JobsParts {
  /** Where the folders of commands are; made when it is not there. */
  readonly folder: string;
  readonly store: Store;
  readonly clock: Clock;
  /** By which a host is let go when nothing runs, so that waiting for that wakes nobody; absent: `clock`. */
  readonly idleClock?: Clock;
  readonly log: Log;
  /** Absent: nobody looks at them. */
  readonly waits?: Waits;
  readonly newJobId: () => JobId;
  readonly openHost: OpenHost;
  /** How processes are ended; absent: by signals. */
  readonly trees?: Trees;
}

/** Both as in `process-tree`. */
export interface Trees {
  readonly end: typeof endTree;
  readonly kill: typeof killTree;
}

export interface JobsRoom {
  readonly store: Store;
  readonly archive: Archive;
  readonly clock: Clock;
  readonly idleClock: Clock;
  readonly log: Log;
  readonly waits: Waits;
  readonly newJobId: () => JobId;
  readonly openHost: OpenHost;
  readonly trees: Trees;
  readonly leftFile: string;
  readonly folders: JobFolders;
  /** By the id of the job. */
  readonly tracked: Map<string, Tracked>;
  readonly timers: Set<Disposable>;
  /** What is being written into the log, and what is being ended. */
  readonly writing: Set<Promise<unknown>>;
  closed: boolean;
}

export function createJobsRoom({ folder, ...parts }: JobsParts): JobsRoom {
  return {
    ...parts,
    idleClock: parts.idleClock ?? parts.clock,
    waits: parts.waits ?? createWaits(parts.clock),
    archive: parts.store.archive,
    folders: openJobFolders(folder),
    leftFile: `${folder}.left.json`,
    trees: parts.trees ?? { end: endTree, kill: killTree },
    tracked: new Map(),
    timers: new Set(),
    writing: new Set(),
    closed: false,
  };
}

/** Fires once unless the room closes before. */
export function later(room: JobsRoom, ms: number, fire: () => void, clock = room.clock): void {
  const timer = clock.setTimer(ms, () => {
    room.timers.delete(timer);
    if (!room.closed) fire();
  });
  room.timers.add(timer);
}
