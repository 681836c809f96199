/** Runs the supervisor as this process: its signals, and what it tells systemd. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Env } from '@zerd/protocol/node/paths';
import { notifySystemd } from '../login/notify.ts';
import { registeredRoots } from '../login/registered.ts';
import { supervise } from '../login/supervise.ts';

export interface SuperviseWish {
  readonly env: Env;
  readonly clock: Clock;
  readonly zerdd: string;
}

/** Settles with the exit code when it was told to end. */
export async function superviseProcess({ env, clock, zerdd }: SuperviseWish): Promise<number> {
  const say = (line: string) => void process.stderr.write(`zerdd: ${line}\n`);
  const roots = () => registeredRoots(env);
  const supervisor = supervise({ env, clock, zerdd, roots, say });
  process.on('SIGHUP', () => {
    try {
      supervisor.reload();
    } catch (error) {
      say(String(error));
    }
  });
  using _notified = notifySystemd(env, clock);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await supervisor.stop();
  return 0;
}
