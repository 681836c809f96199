/**
 * Does: tells systemd that the supervisor is ready and that its event loop turns, where systemd asked for it. Node has no
 * datagram sockets of the local kind, so `systemd-notify` carries the message.
 */
import { execFile } from 'node:child_process';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Env } from '@zerd/protocol/node/paths';

export function notifySystemd(env: Env, clock: Clock): Disposable {
  if (env.NOTIFY_SOCKET === undefined) return { [Symbol.dispose]() {} };
  const notify = (message: string) =>
    execFile('systemd-notify', [message], { env: { ...env }, timeout: 10_000 }, () => {});
  notify('READY=1');
  const microseconds = Number(env.WATCHDOG_USEC);
  if (!(microseconds > 0)) return { [Symbol.dispose]() {} };
  const periodMs = microseconds / 1000 / 2;
  let timer = clock.setTimer(periodMs, beat);
  function beat(): void {
    timer = clock.setTimer(periodMs, beat);
    notify('WATCHDOG=1');
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
