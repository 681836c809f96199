/** Agrees on a version with a new client and keeps the environment that it brings, in memory only. */
import { ZerdError } from '@zerd/protocol/common/errors';
import { protocolRange, zerdVersion } from '@zerd/protocol/common/version';
import { secretsOf } from '../../base/conceal-secrets.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { createSharedEnvs } from '../shared-env.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

export function initializeHandlers({ root, store, runner, auth, log }: House): Pick<Handlers, 'initialize'> {
  const shared = createSharedEnvs();
  return {
    async initialize({ protocol: range, client, env: brought = {} }, caller) {
      const env = shared(brought);
      const protocol = agree(range, protocolRange);
      caller.hello = { name: client.name, protocol, env };
      log.conceal?.(secretsOf(env));
      log.info('client connected', { client: caller.id, name: client.name, version: client.version, protocol });
      await auth.credentials.ready();
      runner.offerEnv(env);
      return { protocol, daemon: { version: zerdVersion, pid: process.pid }, root, epoch: store.epoch };
    },
  };
}

/** The newest version that both speak. */
function agree(theirs: Range, ours: Range): number {
  const newest = Math.min(theirs.max, ours.max);
  if (newest >= Math.max(theirs.min, ours.min)) return newest;
  const older = theirs.max < ours.min ? 'client' : 'daemon';
  throw new ZerdError(
    'version_unsupported',
    `The client speaks protocol ${theirs.min} to ${theirs.max}, the daemon ${ours.min} to ${ours.max}. Update the ${older}.`,
  );
}
