/** Asks a daemon that runs already for its sessions, for completion: within a moment, or there are none to offer. */
import type { SessionRow } from '@zerd/protocol/common/methods';
import type { Context } from '../command.ts';

/** Nobody waits longer at a prompt. */
const patienceMs = 300;

export function knownSessions({ connect, clock }: Pick<Context, 'connect' | 'clock'>): Promise<readonly SessionRow[]> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(patienceMs, () => resolve([]));
    // No daemon, or one that cannot answer: who completes sees no ids, and the command itself will say why.
    void ask(connect)
      .catch(() => [])
      .then(resolve)
      .finally(() => timer[Symbol.dispose]());
  });
}

async function ask(connect: Context['connect']): Promise<readonly SessionRow[]> {
  const client = await connect('never');
  try {
    return (await client.request('session/list', {})).sessions;
  } finally {
    client.close();
  }
}
