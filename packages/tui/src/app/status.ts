/**
 * What the lines around a transcript say of a session: a fold of its events, pure. Invariant: it holds no more than what
 * the log says; another client's doing shows here as one's own does.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';

export interface RunningJob {
  readonly jobId: string;
  readonly command: string;
  readonly startedAt: number;
}

export interface Queued {
  readonly promptId: string;
  readonly text: string;
  readonly steers: boolean;
}

export interface Status {
  readonly model: string;
  /** Chosen while a turn runs, and not asked yet. */
  readonly chosenModel: string | undefined;
  readonly mode: Mode;
  readonly title: string;
  /** The running turn; undefined: idle. */
  readonly turnId: TurnId | undefined;
  readonly turnStartedAt: number;
  /** Tokens of the newest prompt with its answer; undefined: not known. */
  readonly used: number | undefined;
  /** What of that prompt was read from the cache, 0 to 1; undefined: the endpoint does not say. */
  readonly hit: number | undefined;
  readonly sessionPico: number;
  readonly turnPico: number;
  readonly unpriced: boolean;
  /** When the newest request was sent: from then on the provider keeps its prompt for a while. */
  readonly sentAt: number | undefined;
  readonly todo: string;
  readonly jobs: readonly RunningJob[];
  readonly subagents: readonly { readonly callId: string; readonly title: string }[];
  readonly queue: readonly Queued[];
  /** Nothing of the queue begins by itself: the last turn did not end well, or it needs something. */
  readonly queuePaused: boolean;
  readonly requests: number;
}

export const noStatus: Status = {
  model: '',
  chosenModel: undefined,
  mode: 'ask',
  title: '',
  turnId: undefined,
  turnStartedAt: 0,
  used: undefined,
  hit: undefined,
  sessionPico: 0,
  turnPico: 0,
  unpriced: false,
  sentAt: undefined,
  todo: '',
  jobs: [],
  subagents: [],
  queue: [],
  queuePaused: false,
  requests: 0,
};

export function nextStatus(status: Status, event: SessionEvent, at: number): Status {
  switch (event.kind) {
    case 'session.created':
      return { ...status, model: event.model, mode: event.mode };
    case 'mode.changed':
      return { ...status, mode: event.mode };
    case 'model.chosen':
      return { ...status, chosenModel: event.model === status.model ? undefined : event.model };
    case 'model.changed':
      return { ...status, model: event.model, chosenModel: undefined, sentAt: undefined };
    case 'turn.started':
      return { ...status, turnId: event.turnId, turnStartedAt: at, turnPico: 0, queuePaused: false };
    case 'turn.finished':
      return {
        ...status,
        turnId: status.turnId === event.turnId ? undefined : status.turnId,
        queuePaused: event.outcome !== 'done',
      };
    case 'message.submitted':
      return {
        ...status,
        title: status.title === '' ? (event.text.split('\n')[0] ?? '') : status.title,
        queue: status.queue.filter(({ promptId }) => promptId !== event.promptId),
      };
    case 'prompt.queued':
      return {
        ...status,
        queue: [...status.queue, { promptId: event.promptId, text: event.text, steers: event.steers !== undefined }],
      };
    case 'prompt.changed':
      return {
        ...status,
        queue: status.queue.map((one) => (one.promptId === event.promptId ? { ...one, text: event.text } : one)),
      };
    case 'prompt.removed':
      return { ...status, queue: status.queue.filter(({ promptId }) => promptId !== event.promptId) };
    case 'prompt.held':
      return { ...status, queuePaused: true };
    case 'request.started':
      return { ...status, sentAt: at };
    case 'assistant.finished':
      return answered(status, event);
    case 'request.failed':
      return event.usage === undefined ? status : paid(status, event.costPico ?? null);
    case 'todo.changed':
      return { ...status, todo: event.list };
    case 'job.started':
      return {
        ...status,
        jobs: [...status.jobs, { jobId: event.jobId, command: event.command, startedAt: at }],
      };
    case 'job.finished':
      return { ...status, jobs: status.jobs.filter(({ jobId }) => jobId !== event.jobId) };
    case 'subagent.started':
      return { ...status, subagents: [...status.subagents, { callId: event.callId, title: event.title }] };
    case 'toolCall.finished':
      return { ...status, subagents: status.subagents.filter(({ callId }) => callId !== event.callId) };
    default:
      return status;
  }
}

function answered(status: Status, event: Extract<SessionEvent, { kind: 'assistant.finished' }>): Status {
  const { usage, costPico } = event;
  const prompt = usage.uncached + usage.cacheRead + usage.cacheWrite;
  const next = paid(status, costPico);
  if (!usage.reported || prompt === 0) return next;
  return { ...next, used: prompt + usage.output, hit: usage.cacheRead / prompt };
}

/** An attempt that brought no answer is paid for too. */
function paid(status: Status, costPico: number | null): Status {
  const pico = costPico ?? 0;
  return {
    ...status,
    sessionPico: status.sessionPico + pico,
    turnPico: status.turnPico + pico,
    unpriced: status.unpriced || costPico === null,
    requests: status.requests + 1,
  };
}
