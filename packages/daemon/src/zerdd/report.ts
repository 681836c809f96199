/** How a daemon's state is shown to people. */
import type { DaemonStatus, SilentDaemon } from './daemons.ts';

export function statusLines(status: DaemonStatus, now: number): readonly string[] {
  const { version, pid, root, clients, runningTurns, rssBytes, stateFolder, logFile, waits } = status;
  return [
    `${root}`,
    `  zerdd ${version}, pid ${pid}, up ${upFor(status, now)}, ${Math.round(rssBytes / 1e6)} MB`,
    `  ${count(clients, 'client')} connected (this one included), ${count(runningTurns, 'turn')} running`,
    `  state ${stateFolder}`,
    `  log   ${logFile}`,
    ...waits.map((wait) => `  waiting for ${wait.for}, ${duration(now - wait.sinceAt)}${most(wait)}`),
  ];
}

export function listLine(status: DaemonStatus | SilentDaemon, now: number): string {
  if ('silent' in status)
    return `${status.root}  pid ${status.pid}, does not answer; \`zerdd stop --force --root DIR\` ends it`;
  const { pid, root, clients, runningTurns } = status;
  const uses = `${count(clients - 1, 'client')}, ${count(runningTurns, 'turn')}`;
  return `${root}  pid ${pid}, up ${upFor(status, now)}, ${uses}`;
}

/** An older daemon says only when it started. */
function upFor({ upMs, startedAt }: DaemonStatus, now: number): string {
  return duration(upMs ?? now - startedAt);
}

function most({ sinceAt, deadlineAt }: DaemonStatus['waits'][number]): string {
  return deadlineAt === undefined ? '' : ` of ${duration(deadlineAt - sinceAt)}`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
