/** What `zerd doctor` says of the commands in the background. */
import type { Jobs, LeftProcesses } from '../base/job-ports.ts';

export function checkJobs(jobs: Pick<Jobs, 'list' | 'left'>) {
  const left = jobs.left();
  const all = jobs.list();
  const running = all.filter(({ end }) => end === undefined).length;
  const lost = all.filter(({ end }) => end?.outcome === 'lost').map(({ jobId }) => jobId);
  const says = `${running} running, ${all.length - running} ended since the daemon began.`;
  if (left.length > 0) return { ok: false, says: `${says} ${leftText(left)}`, todo: howToEnd };
  if (lost.length === 0) return { ok: true, says };
  return {
    ok: false,
    says: `${says} How ${lost.join(', ')} ended is not known: what watched it was killed, or the machine restarted.`,
    todo: 'Look at what they were to do, and run them again where that is wanted.',
  };
}

function leftText(left: readonly LeftProcesses[]): string {
  const each = left.map(({ jobId, pids }) => `${jobId} (process ${pids.join(', ')})`).join(', ');
  return `Of commands that were ended, processes are still there, and zerd goes on ending them: ${each}.`;
}

const howToEnd =
  'Look at them with `ps -o pid,user,stat,wchan,args -p PID`: those of another user are ended by that user, those in state D when what they wait for (a disk, a network share) answers.';
