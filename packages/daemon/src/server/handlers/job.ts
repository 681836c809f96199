/** Commands in the background: listed, read, ended and written to. What the user does here needs nobody's permission. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import type { Job, JobWritten } from '../../base/job-ports.ts';
import { wholeCharacters } from '../../processes/whole-characters.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

/** Bytes of one answer; the rest is read from `offset + bytes`. */
const mostBytes = 1024 * 1024;

type JobMethod = 'job/list' | 'job/read' | 'job/stop' | 'job/write';

export function jobHandlers({ jobs }: House): Pick<Handlers, JobMethod> {
  const known = (jobId: string): Job => {
    const job = jobs.find(jobId);
    if (job) return job;
    throw new ZerdError('unknown_job', `There is no job ${jobId} here, or no longer. See \`zerd jobs\`.`);
  };
  return {
    'job/list': ({ sessionId }) => ({ jobs: jobs.list(sessionId).map(jobRow) }),
    async 'job/read'({ jobId, offset = 0, limit = mostBytes }) {
      known(jobId);
      const read = await jobs.read(jobId, offset, Math.min(limit, mostBytes));
      const bytes = Buffer.from(read?.bytes ?? []);
      const start = read?.offset ?? offset;
      const totalBytes = read?.totalBytes ?? 0;
      const whole = start + bytes.length >= totalBytes ? bytes : wholeCharacters(bytes);
      return {
        job: jobRow(known(jobId)),
        text: whole.toString('utf8'),
        offset: start,
        bytes: whole.length,
        totalBytes,
      };
    },
    async 'job/stop'({ jobId }) {
      known(jobId);
      return { stopped: await jobs.stop(jobId, 'stopped by the user') };
    },
    async 'job/write'({ jobId, text }) {
      known(jobId);
      const outcome = await jobs.write(jobId, text);
      return outcome === 'written' ? { written: true } : { written: false, why: whyNot[outcome] };
    },
  };
}

const whyNot: Readonly<Record<Exclude<JobWritten, 'written'>, string>> = {
  ended: 'The job has ended.',
  'takes no input': 'The command has no input: it must read from "$JOB_INPUT".',
  'is not reading': 'Nothing of the job reads from "$JOB_INPUT" now.',
};

export function jobRow({ jobId, sessionId, command, startedAt, bytes, end, alive }: Job): JobRow {
  const row = { jobId, sessionId, command, startedAt, bytes, ...(alive > 0 ? { alive } : {}) };
  if (end === undefined) return row;
  const { outcome, exitCode, signal, durationMs, reason } = end;
  return {
    ...row,
    outcome,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(reason === undefined ? {} : { reason }),
  };
}
