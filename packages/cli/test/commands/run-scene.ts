/** A run against a daemon in memory: what its turn brings, and what came of the command. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Terminal } from '../../src/terminal.ts';
import { answered, asked, begun, created, says } from '../events.ts';
import { type FakeDaemon, fakeDaemon, sessionId, start, turnId } from '../fake-daemon.ts';

export const prompt = 'do it';
export const work = [asked(500), answered([says('All done.')])];

/** A daemon whose turn brings these events as soon as it is started. */
export function daemonWith(...events: readonly SessionEvent[]): FakeDaemon {
  const daemon = fakeDaemon();
  daemon.on('session/create', () => {
    daemon.append(created);
    return { sessionId, model: 'sim/sim', mode: 'ask', seq: 1 };
  });
  daemon.on('turn/start', ({ text }: { text: string }) => {
    daemon.append(...begun(text), ...events);
    return { turnId, seq: 3 };
  });
  return daemon;
}

/** One `zerd run` from its beginning to its end. */
export async function run(
  daemon: FakeDaemon,
  argv: readonly string[] = [prompt],
  terminal: Partial<Terminal> & { input?: string } = {},
) {
  const { screen, code } = start(['run', ...argv], daemon, terminal);
  return { code: await code, out: screen.out, err: screen.err };
}
