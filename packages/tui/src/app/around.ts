/** What stands between the transcript and the input: steps, jobs, sub-agents, prompts that wait. Pure, and never tall. */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit } from '../text/wrap.ts';
import type { Status } from './status.ts';

/** Rows of each part; what is more is counted. */
const mostSteps = 6;
const mostOthers = 3;

export function aroundLines(status: Status, columns: number, now: number): readonly Line[] {
  const rows = [...steps(status.todo), ...jobs(status, now), ...subagents(status), ...queue(status)];
  return rows.map((row) => fit(row, columns));
}

function steps(todo: string): readonly Line[] {
  const lines = todo.split('\n').filter((line) => line.trim() !== '');
  const open = lines.filter((line) => !/\[[xX]\]/.test(line));
  // What is all done is no longer news.
  if (open.length === 0) return [];
  const done = lines.length - open.length;
  const shown = open.slice(0, mostSteps).map((line): Line => {
    const doing = /\[>\]/.test(line);
    return [span(` ${sanitiseLine(line.trim())}`, doing ? theme.strong : theme.dim)];
  });
  const more = open.length - shown.length;
  const counts = `${done} of ${lines.length} steps done${more > 0 ? `, ${more} more below` : ''}`;
  return [...shown, [span(` ${counts}`, theme.dim)]];
}

function jobs({ jobs }: Status, now: number): readonly Line[] {
  const shown = jobs.slice(-mostOthers).map(({ jobId, command, startedAt }): Line => {
    const seconds = Math.max(0, Math.round((now - startedAt) / 1000));
    return [span(` ${jobId} `, theme.accent), span(`${seconds} s  ${firstLine(command)}`, theme.dim)];
  });
  return withMore(shown, jobs.length, 'jobs');
}

function subagents({ subagents }: Status): readonly Line[] {
  const shown = subagents
    .slice(-mostOthers)
    .map(({ title }): Line => [span(' sub-agent ', theme.accent), span(firstLine(title), theme.dim)]);
  return withMore(shown, subagents.length, 'sub-agents');
}

function queue({ queue, queuePaused }: Status): readonly Line[] {
  const shown = queue
    .slice(0, mostOthers)
    .map(
      ({ text, steers }): Line => [
        span(steers ? ' steers ' : ' waits  ', theme.warn),
        span(firstLine(text), theme.dim),
      ],
    );
  const how = queuePaused ? '/queue goes on with it, or takes it back' : 'Up, with an empty input, takes the last back';
  const hint: readonly Line[] = queue.length === 0 ? [] : [[span(` ${how}`, theme.dim)]];
  return [...withMore(shown, queue.length, 'prompts'), ...hint];
}

function withMore(shown: readonly Line[], all: number, what: string): readonly Line[] {
  const more = all - shown.length;
  return more <= 0 ? shown : [...shown, [span(` and ${more} more ${what}`, theme.dim)]];
}

function firstLine(text: string): string {
  return sanitiseLine(text.split('\n', 1)[0] ?? '');
}
