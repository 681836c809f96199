/** Says which skills could not be used, and why. Invariant: nothing of a workspace is read before it is trusted (I7). */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { Env } from '@zerd/protocol/node/paths';
import { skillSettings } from '../config/skills.ts';
import { findSkills } from '../skills/find-skills.ts';
import type { RunnerParts } from './parts.ts';

type Parts = Pick<RunnerParts, 'root' | 'trust' | 'readConfig'>;

export async function skillWarnings({ root, trust, readConfig }: Parts, env: Env): Promise<readonly string[]> {
  try {
    const { limit: _, ...places } = skillSettings(readConfig(), env);
    return (await findSkills({ root: trust.trusted() ? root : undefined, ...places })).warnings;
  } catch (error) {
    if (isZerdError(error)) return [error.message];
    throw error;
  }
}

const mostTold = 5;

/** For `daemon/doctor`. */
export async function checkSkills(parts: Parts, env: Env) {
  const warnings = await skillWarnings(parts, env);
  if (warnings.length === 0) return { ok: true, says: 'Every skill that was found can be used.' };
  const more = warnings.length > mostTold ? [`and ${warnings.length - mostTold} more`] : [];
  const says = [...warnings.slice(0, mostTold), ...more].join(' ');
  return { ok: false, says, todo: 'Mend these files, or leave them out by skills.exclude.' };
}
