/** What `zerd doctor` says of the commands in the background. */
import type { Jobs } from '../base/job-ports.ts';

export function checkJobs(jobs: Pick<Jobs, 'list'>) {
  const all = jobs.list();
  const running = all.filter(({ end }) => end === undefined).length;
  const lost = all.filter(({ end }) => end?.outcome === 'lost').map(({ jobId }) => jobId);
  const says = `${running} running, ${all.length - running} ended since the daemon began.`;
  if (lost.length === 0) return { ok: true, says };
  return {
    ok: false,
    says: `${says} How ${lost.join(', ')} ended is not known: what watched it was killed, or the machine restarted.`,
    todo: 'Look at what they were to do, and run them again where that is wanted.',
  };
}
