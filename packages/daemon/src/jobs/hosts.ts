/**
 * Keeps the host of this daemon: opened with the first command, let go when none has run for a while. Invariant: a host
 * that dies takes no command with it unseen: each is looked for, and what is not known of it is called lost.
 */
import type { Order, Report } from '../processes/host/orders.ts';
import { readEnded } from './folder.ts';
import type { HostLink } from './host-process.ts';
import { type JobsRoom, later } from './room.ts';
import type { Tracked } from './tracked.ts';

/** A host that nothing runs under is let go after this long. */
const idleMs = 5 * 60_000;

export interface Hosts {
  /** Settles with why it could not start; undefined: it runs. */
  start(tracked: Tracked, order: Extract<Order, { kind: 'start' }>): Promise<string | undefined>;
  background(tracked: Tracked): void;
  close(): void;
}

interface Follow {
  readonly ended: (tracked: Tracked) => void;
  readonly lost: (tracked: Tracked, reason: string) => void;
}

interface OpenHost {
  readonly link: HostLink;
  readonly commands: Set<Tracked>;
  lastUse: number;
}

export function createHosts(room: JobsRoom, follow: Follow): Hosts {
  const waiting = new Map<string, (failure: string | undefined) => void>();
  let host: OpenHost | undefined;

  function onReport(report: Report): void {
    const { jobId } = report;
    if (report.kind === 'started' || report.kind === 'failed') {
      const tracked = room.tracked.get(jobId);
      if (tracked && report.kind === 'started') tracked.started = report.started;
      waiting.get(jobId)?.(report.kind === 'failed' ? report.code : undefined);
    }
    const tracked = room.tracked.get(jobId);
    if (tracked === undefined) return;
    if (report.kind === 'ended') noteEnd(tracked, report.ended);
    if (report.kind === 'gone') tracked.gone = true;
    if (tracked.gone) host?.commands.delete(tracked);
    if (report.kind === 'ended' || report.kind === 'gone') follow.ended(tracked);
  }

  function open(): OpenHost {
    const link = room.openHost(onReport);
    const opened: OpenHost = { link, commands: new Set(), lastUse: room.clock.now() };
    void link.gone.then(() => {
      if (host === opened) host = undefined;
      for (const tracked of opened.commands) onHostGone(tracked);
    });
    letGoWhenIdle(opened);
    return opened;
  }

  function onHostGone(tracked: Tracked): void {
    if (room.closed) return;
    waiting.get(tracked.record.jobId)?.('EHOST');
    const ended = tracked.ended ?? readEnded(tracked.folder);
    if (ended === undefined) follow.lost(tracked, 'the process that watched it is gone');
    else {
      noteEnd(tracked, ended);
      tracked.gone = true;
      follow.ended(tracked);
    }
  }

  function letGoWhenIdle(opened: OpenHost): void {
    later(room, idleMs, () => {
      if (host !== opened) return;
      if (opened.commands.size > 0 || room.clock.now() - opened.lastUse < idleMs) letGoWhenIdle(opened);
      else {
        host = undefined;
        opened.link.close();
      }
    });
  }

  return {
    async start(tracked, order) {
      host ??= open();
      host.commands.add(tracked);
      host.lastUse = room.clock.now();
      const { link } = host;
      const failure = await new Promise<string | undefined>((resolve) => {
        waiting.set(order.jobId, resolve);
        if (!link.send(order)) resolve('EHOST');
      });
      waiting.delete(order.jobId);
      if (failure !== undefined) host?.commands.delete(tracked);
      return failure;
    },
    background: ({ record }) => void host?.link.send({ kind: 'background', jobId: record.jobId }),
    close: () => host?.link.close(),
  };
}

export function noteEnd(tracked: Tracked, ended: NonNullable<Tracked['ended']>): void {
  tracked.ended = ended;
  tracked.bytes = ended.output.bytes;
  tracked.alive = ended.alive;
  tracked.gone ||= ended.alive === 0;
}
