/** Says which skills there are, and which could not be used and why. Invariant: nothing of a workspace is read before it is trusted (I7). */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { Env } from '@zerd/protocol/node/paths';
import { skillSettings } from '../config/skills.ts';
import { findSkills } from '../skills/find-skills.ts';
import type { RunnerParts } from './parts.ts';

type Parts = Pick<RunnerParts, 'root' | 'trust' | 'readConfig'>;

/** For `skill/list`. Rejects with config_invalid. */
export async function listSkills(parts: Parts, env: Env) {
  const { skills } = await findAll(parts, env);
  return { skills: skills.map(({ name, description, path }) => ({ name, description, path })) };
}

function findAll({ root, trust, readConfig }: Parts, env: Env) {
  const { limit: _, ...places } = skillSettings(readConfig(), env);
  return findSkills({ root: trust.trusted() ? root : undefined, ...places });
}

export async function skillWarnings(parts: Parts, env: Env): Promise<readonly string[]> {
  try {
    return (await findAll(parts, env)).warnings;
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
