/** `zerd jobs`: the commands that run in the background: listed, followed, ended, written to. */
import type { JobId } from '@zerd/protocol/common/ids';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { safeJson, sanitise } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { jobCommand, jobState } from '../present/job-line.ts';
import { table } from '../present/table.ts';
import { asSessionId, sessionComplaint } from '../session/session-id.ts';

const steering: readonly Steering[] = ['tail', 'stop', 'write'];

export const jobsCommand = defineCommand({
  name: 'jobs',
  usage: 'jobs [action] [job] [text]',
  says: 'Shows the commands that run in the background, and ends or feeds them',
  positionals: {
    action: { type: 'string', describe: 'list, tail, stop or write', defaultDescription: 'list' },
    job: { type: 'string', describe: 'A job (job_...), or the end of its id' },
    text: { type: 'string', describe: 'For write: what its input gets; a newline follows' },
  },
  options: ['follow', 'session', 'json'],
  examples: [
    ['zerd jobs', 'What runs, and what ended lately'],
    ['zerd jobs tail -f job_...', 'Its output, until it ends'],
    ['zerd jobs stop job_...', 'Ends it and all that it started'],
    ['zerd jobs write job_... yes', 'For a command that reads from "$JOB_INPUT"'],
  ],
  complaint: ({ action = 'list', job, text, session }) => {
    if (action !== 'list' && !isSteering(action)) return `'${action}' is not one of list, tail, stop or write.`;
    if (action !== 'list' && job === undefined) return `Say which job: zerd jobs ${action} job_...`;
    if (action === 'write' && text === undefined) return 'Say what to write: zerd jobs write job_... yes';
    return sessionComplaint(session);
  },
  async perform({ action = 'list', job = '', text = '', session, follow, json }, context) {
    const client = await context.connect('daemon');
    try {
      const { jobs } = await client.request('job/list', given({ sessionId: asSessionId(session) }));
      if (!isSteering(action)) {
        context.terminal.out(json === true ? `${safeJson(jobs)}\n` : jobTable(jobs));
        return exitCode.done;
      }
      return await act(client, { action, jobId: idOf(job, jobs), text, follow: follow === true }, context);
    } finally {
      client.close();
    }
  },
});

type Steering = 'tail' | 'stop' | 'write';

function isSteering(word: string): word is Steering {
  return steering.some((action) => action === word);
}

interface Act {
  readonly action: Steering;
  readonly jobId: JobId;
  readonly text: string;
  readonly follow: boolean;
}

async function act(client: ZerdClient, { action, jobId, text, follow }: Act, context: Context): Promise<number> {
  const { terminal } = context;
  if (action === 'tail') return tail(client, jobId, follow, context);
  if (action === 'stop') {
    const { stopped } = await client.request('job/stop', { jobId });
    if (!stopped)
      terminal.err(
        `zerd: some processes of ${jobId} could not be ended yet. The daemon goes on trying; \`zerd doctor\` names them.\n`,
      );
    return stopped ? exitCode.done : exitCode.failed;
  }
  const { written, why } = await client.request('job/write', { jobId, text: `${text}\n` });
  if (!written) terminal.err(`zerd: Nothing was written. ${why ?? ''}\n`);
  return written ? exitCode.done : exitCode.failed;
}

const lookMs = 250;

/** The daemon knows of every byte: what is printed here goes on where it was, whatever came between. */
async function tail(client: ZerdClient, jobId: JobId, follow: boolean, { terminal, clock }: Context): Promise<number> {
  for (let offset = 0; !terminal.outputGone.aborted; ) {
    const read: ResultOf<'job/read'> = await client.request('job/read', { jobId, offset });
    if (read.offset > offset) terminal.err(`[${read.offset - offset} bytes are not kept]\n`);
    terminal.out(sanitise(read.text));
    offset = read.offset + read.bytes;
    if (offset < read.totalBytes && read.bytes > 0) continue;
    const over = read.job.outcome !== undefined;
    if (over || !follow) {
      if (over) terminal.err(`${jobId}: ${jobState(read.job)}\n`);
      return exitCode.done;
    }
    await clock.sleep(lookMs);
  }
  return exitCode.done;
}

export function jobTable(jobs: readonly JobRow[]): string {
  if (jobs.length === 0) return 'No jobs. A command that runs for long becomes one.\n';
  const rows = jobs.map((job) => [job.jobId, jobState(job), job.sessionId, String(job.bytes), jobCommand(job)]);
  return table(['JOB', 'STATE', 'SESSION', 'BYTES', 'COMMAND'], rows);
}

/** As it stands, or the only one that ends so. */
function idOf(word: string, jobs: readonly JobRow[]): JobId {
  const found = jobs.filter(({ jobId }) => jobId === word || jobId.endsWith(word));
  // What is not known here the daemon names as such.
  return found.length === 1 && found[0] ? found[0].jobId : (`job_${word.replace(/^job_/, '')}` as JobId);
}
