/**
 * Lets clients that bring the same environment share one copy of it, as sessions keep theirs for as long as the daemon
 * lives. Invariant: of the environments themselves it holds no more than the last few.
 */
import { createHash } from 'node:crypto';
import type { ClientEnv } from '../runner/runner.ts';

/** Of so many clients that differ. */
const kept = 16;

export function createSharedEnvs(): (env: ClientEnv) => ClientEnv {
  const known = new Map<string, ClientEnv>();
  return (env) => {
    const hash = createHash('sha256').update(JSON.stringify(env)).digest('base64');
    const shared = known.get(hash) ?? env;
    known.delete(hash);
    known.set(hash, shared);
    for (const oldest of known.keys()) {
      if (known.size <= kept) break;
      known.delete(oldest);
    }
    return shared;
  };
}
