/**
 * `npm run -s search:equality -- --cases N [--seed N]`: compares the search index with ripgrep over as many seeded cases
 * as one likes; the suite runs 2,000. Says how many were run and by which routes, or which query differed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './tree.mjs';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/.bin/jest'), 'packages/daemon/test/search/equality/search-equality'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
      ZERD_CASES: values.cases,
      ZERD_SEED: values.seed,
    },
  },
);
process.exitCode = status ?? 1;
