/** A jobs room in which nothing runs. */
import type { Jobs } from '@zerd/daemon/base/job-ports';

const unused = () => Promise.reject(new Error('not here'));

export const noJobs: Jobs = {
  start: unused,
  list: () => [],
  find: () => undefined,
  running: () => 0,
  read: () => Promise.resolve(undefined),
  news: () => Promise.resolve(''),
  ended: () => Promise.resolve(),
  stop: () => Promise.resolve(true),
  write: () => Promise.resolve('ended'),
  stopOf: () => Promise.resolve(true),
  left: () => [],
  adopt: () => Promise.resolve(),
  jobOfCall: () => undefined,
  close: () => Promise.resolve(),
};
