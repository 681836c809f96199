/** The jobs room with its host in this process: no build is needed, and commands are real. */
import { join } from 'node:path';
import type { Jobs } from '@zerd/daemon/base/job-ports';
import { silentLog } from '@zerd/daemon/base/log';
import type { Store } from '@zerd/daemon/base/ports';
import { createWaits } from '@zerd/daemon/base/waits';
import { createJobs } from '@zerd/daemon/jobs/create-jobs';
import type { OpenHost } from '@zerd/daemon/jobs/host-process';
import type { Trees } from '@zerd/daemon/jobs/room';
import { createHost } from '@zerd/daemon/processes/host/create-host';
import { newId } from '@zerd/daemon/runner/new-id';
import { jobIdSchema } from '@zerd/protocol/common/ids';
import { type Clock, systemClock } from '@zerd/protocol/node/clock';

export const hostHere: OpenHost = (onReport) => {
  const host = createHost(onReport);
  return {
    gone: new Promise(() => {}),
    send(order) {
      host.take(order);
      return true;
    },
    close() {},
  };
};

/** `top`: a folder of the test's own. */
export function testJobs(
  top: string,
  store: Store,
  clock: Clock = systemClock,
  openHost = hostHere,
  waits = createWaits(clock),
  trees?: Trees,
): Jobs {
  const newJobId = () => jobIdSchema.parse(newId('job', clock));
  const parts = { folder: join(top, 'jobs'), store, clock, log: silentLog, waits, newJobId, openHost };
  return createJobs({ ...parts, ...(trees && { trees }) });
}
