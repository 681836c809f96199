/** For tools that run no command. */
import type { CallCommands } from '@zerd/daemon/base/job-ports';

const unused = () => Promise.reject(new Error('not here'));

export const noCommands: CallCommands = {
  afterMs: 15_000,
  start: unused,
  list: () => [],
  jobs: { news: unused, ended: unused, stop: unused, write: unused },
};
