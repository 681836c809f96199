/** `/jobs`: the commands that run in the background, what each has printed, and their end. */
import type { JobId } from '@zerd/protocol/common/ids';
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Desk } from './desk.ts';
import { jobItems } from './lists.ts';
import { textLines } from './overlay.ts';
import { messageOf } from './session-link.ts';

export async function showJobs(desk: Desk): Promise<void> {
  const rows = async () => (await desk.feed.request('job/list', {})).jobs;
  const items = async () => jobItems(await rows(), desk.now());
  const first = await items();
  if (first.length === 0) return desk.say('dim', 'No commands run in the background.');
  desk.choose('Commands in the background', first, (jobId) => chooseWhat(desk, jobId as JobId), items);
}

function chooseWhat(desk: Desk, jobId: JobId): void {
  const items = [
    { label: 'Show what it printed', detail: '', value: 'show' },
    { label: 'Stop it', detail: 'and all that it started', value: 'stop' },
  ];
  const act = { show: () => showOutput(desk, jobId), stop: () => stop(desk, jobId) };
  desk.choose(jobId, items, (value) => {
    const done = value === 'stop' ? act.stop() : act.show();
    done.catch((error: unknown) => desk.say('bad', messageOf(error)));
  });
}

/** Of the output the end is shown: bytes. */
const mostShown = 200_000;

async function showOutput(desk: Desk, jobId: JobId): Promise<void> {
  const { job } = await desk.feed.request('job/read', { jobId, limit: 1 });
  const offset = Math.max(0, job.bytes - mostShown);
  const { text } = await desk.feed.request('job/read', { jobId, offset, limit: mostShown });
  const shown = text === '' ? 'It has printed nothing yet.' : sanitise(text);
  desk.page(`${jobId}: ${sanitiseLine(job.command.split('\n', 1)[0] ?? '')}`, textLines(shown));
}

async function stop(desk: Desk, jobId: JobId): Promise<void> {
  const { stopped } = await desk.feed.request('job/stop', { jobId });
  desk.say(
    stopped ? 'dim' : 'warn',
    stopped ? `${jobId} has ended.` : `${jobId} was told to end; something of it is left.`,
  );
}
