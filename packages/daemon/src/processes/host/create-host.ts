/** Carries out the orders of a daemon, each command for itself. */
import { type HostedCommand, hostCommand } from './host-command.ts';
import type { Order, Report } from './orders.ts';

export interface Host {
  take(order: Order): void;
  /** Settles when nothing runs under it. */
  idle(): Promise<void>;
}

export function createHost(report: (report: Report) => void): Host {
  const running = new Map<string, HostedCommand>();
  return {
    take(order) {
      if (order.kind === 'background') return running.get(order.jobId)?.slowDown();
      const command = hostCommand(order, report);
      running.set(order.jobId, command);
      void command.gone.finally(() => running.delete(order.jobId));
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ gone }) => gone));
    },
  };
}
