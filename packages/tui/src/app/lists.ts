/** Rows of the lists to choose from: sessions, commands in the background, prompts that wait. Pure. */
import type { SessionId } from '@zerd/protocol/common/ids';
import { jobOutcome } from '@zerd/protocol/common/job-outcome';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import type { ResultOf } from '@zerd/protocol/common/methods';
import type { Item } from './overlay.ts';
import type { Queued } from './status.ts';
import { dollars, thousands } from './status-line.ts';

export type SessionRow = ResultOf<'session/list'>['sessions'][number];

const states = { idle: ' ', running: '●', waiting: '?' } as const;

/** What runs and what waits for an answer is marked; `current` is where one is. */
export function sessionItems(
  sessions: readonly SessionRow[],
  current: SessionId | undefined,
  now: number,
): readonly Item[] {
  return sessions.map((row) => {
    const { sessionId, title, state, model, costPico, unpricedRequests, updatedAt, parentId, forkOf, queued = 0 } = row;
    const details = [
      ...(sessionId === current ? ['this one'] : []),
      ...(state === 'idle' ? [] : [state === 'running' ? 'works' : 'asks something']),
      ...(queued === 0 ? [] : [`${queued} wait`]),
      ago(now - updatedAt),
      model,
      `${dollars(costPico)}${unpricedRequests > 0 ? '+' : ''}`,
      ...(parentId === undefined ? [] : ['sub-agent']),
      ...(forkOf === undefined ? [] : ['fork']),
    ];
    const label = title === '' ? sessionId : title;
    return { label: `${states[state]} ${label}`, detail: details.join(' · '), value: sessionId };
  });
}

/** Those that run first, each with its state, how long, and its command. */
export function jobItems(jobs: readonly JobRow[], now: number): readonly Item[] {
  const sorted = jobs.toSorted((a, b) => Number(a.outcome !== undefined) - Number(b.outcome !== undefined));
  return sorted.map((job) => {
    const { jobId, command, startedAt, durationMs = Math.max(0, now - startedAt), bytes } = job;
    const details = [jobState(job), span(durationMs), `${thousands(bytes)} bytes`];
    return {
      label: `${job.outcome === undefined ? '●' : ' '} ${jobId}  ${oneLine(command)}`,
      detail: details.join(' · '),
      value: jobId,
    };
  });
}

export function queueItems(queue: readonly Queued[]): readonly Item[] {
  return queue.map(({ promptId, text, steers }) => ({
    label: oneLine(text),
    detail: steers ? 'to the running turn' : 'a turn of its own',
    value: promptId,
  }));
}

export function jobState(job: JobRow): string {
  const { outcome, reason } = job;
  const because = (outcome === 'stopped' || outcome === 'lost') && reason !== undefined ? `: ${reason}` : '';
  return `${jobOutcome(job) ?? 'runs'}${because}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function ago(ms: number): string {
  return ms < 60_000 ? 'now' : `${span(ms)} ago`;
}

/** '12 s', '5 min', '3 h', '4 d' */
function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
