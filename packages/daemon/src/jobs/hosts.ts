/**
 * Keeps the host of this daemon: opened with the first command, let go when none has run for a while. Invariant: a host
 * that dies takes no command with it unseen: each is looked for, and what is not known of it is called lost.
 */
import type { Order, Report } from '../processes/host/orders.ts';
import type { HostLink } from './host-process.ts';
import { type JobsRoom, later } from './room.ts';
import { showRoom } from './show-room.ts';
import { noteEnd, type Tracked } from './tracked.ts';
import { type Follow, lookAt, noteAdoption, watchFolder } from './watch-folder.ts';

/** A host that nothing runs under is let go after this long. */
const idleMs = 5 * 60_000;

export interface Hosts {
  /** Settles with why it could not start; undefined: it runs. */
  start(tracked: Tracked, order: Extract<Order, { kind: 'start' }>): Promise<string | undefined>;
  background(tracked: Tracked): void;
  close(): void;
}

interface HostFollow extends Follow {
  /** Its host is gone and it is not: how it ends will not be known. */
  readonly unwatched: (tracked: Tracked, reason: string) => void;
}

interface OpenHost {
  readonly link: HostLink;
  readonly commands: Map<string, Tracked>;
  lastUse: number;
}

export function createHosts(room: JobsRoom, follow: HostFollow): Hosts {
  const waiting = new Map<string, (failure: string | undefined) => void>();
  let host: OpenHost | undefined;

  function onReport(report: Report): void {
    const { jobId } = report;
    const begins = waiting.get(jobId);
    if (report.kind === 'failed' || report.kind === 'gone') host?.commands.delete(jobId);
    if (report.kind === 'failed') begins?.(report.code);
    const tracked = room.tracked.get(jobId);
    if (tracked === undefined) return;
    switch (report.kind) {
      case 'started':
        tracked.started = report.started;
        begins?.(undefined);
        // What fails from here on, perhaps at once, is no failure to begin.
        waiting.delete(jobId);
        break;
      case 'failed':
        if (begins === undefined) loseSight(tracked);
        break;
      case 'ended':
        noteEnd(tracked, report.ended);
        follow.settle(tracked);
        break;
      case 'gone':
        tracked.gone = true;
        follow.settle(tracked);
        break;
      case 'room':
        showRoom(room, tracked, report.full ? room.clock.wall() : undefined);
    }
  }

  function open(): OpenHost {
    const link = room.openHost(onReport);
    const opened: OpenHost = { link, commands: new Map(), lastUse: room.idleClock.now() };
    void link.gone.then(() => {
      if (host === opened) host = undefined;
      for (const tracked of opened.commands.values()) onHostGone(tracked);
    });
    letGoWhenIdle(opened);
    return opened;
  }

  function onHostGone(tracked: Tracked): void {
    if (room.closed) return;
    waiting.get(tracked.record.jobId)?.('EHOST');
    loseSight(tracked);
  }

  /** Nobody watches it any more. */
  function loseSight(tracked: Tracked): void {
    showRoom(room, tracked, undefined);
    tracked.unwatched = true;
    const adoption = lookAt(tracked);
    noteAdoption(follow, tracked, adoption);
    if (adoption.kind === 'runsUnwatched') follow.unwatched(tracked, adoption.reason);
    watchFolder(room, follow, tracked);
  }

  function letGoWhenIdle(opened: OpenHost): void {
    const look = () => {
      if (host !== opened) return;
      if (opened.commands.size > 0 || room.idleClock.now() - opened.lastUse < idleMs) letGoWhenIdle(opened);
      else {
        host = undefined;
        opened.link.close();
      }
    };
    later(room, idleMs, look, room.idleClock);
  }

  return {
    async start(tracked, order) {
      host ??= open();
      host.commands.set(order.jobId, tracked);
      host.lastUse = room.idleClock.now();
      const { link } = host;
      const failure = await new Promise<string | undefined>((resolve) => {
        waiting.set(order.jobId, resolve);
        if (!link.send(order)) resolve('EHOST');
      });
      waiting.delete(order.jobId);
      if (failure !== undefined) host?.commands.delete(order.jobId);
      return failure;
    },
    background: ({ record }) => void host?.link.send({ kind: 'background', jobId: record.jobId }),
    close: () => host?.link.close(),
  };
}
