/** Where skills are looked for, which of them the user leaves out, and how much their list may take. */
import { dirname } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import { plainNumber } from '@zerd/protocol/common/plain-number';
import type { Env } from '@zerd/protocol/node/paths';
import type { Config } from './load.ts';
import { mostSkillTokens } from './schema.ts';

export interface SkillSettings {
  /** Folders that hold `skills/`, outside the workspace: the user's own. */
  readonly userFolders: readonly string[];
  /** Globs on names. */
  readonly exclude: readonly string[];
  /** Tokens of the list; 0: no skills; undefined: by the window of the model. */
  readonly limit: number | undefined;
}

/** `env`: the client's. Throws invalid_params. */
export function skillSettings({ file, skills }: Pick<Config, 'file' | 'skills'>, env: Env): SkillSettings {
  const home = env.HOME?.startsWith('/') ? [`${env.HOME}/.claude`, `${env.HOME}/.agents`] : [];
  return {
    userFolders: [dirname(file), ...home],
    exclude: skills.exclude ?? [],
    limit: limitOf(env.ZERD_SKILL_LIMIT) ?? skills.limit,
  };
}

function limitOf(text = ''): number | undefined {
  if (text.trim() === '') return undefined;
  const limit = plainNumber(text.trim());
  if (Number.isInteger(limit) && limit >= 0 && limit <= mostSkillTokens) return limit;
  throw new ZerdError(
    'invalid_params',
    `ZERD_SKILL_LIMIT is ${JSON.stringify(text.slice(0, 40))}, but has to be a number of tokens from 0 to ${mostSkillTokens}. Nothing was started.`,
  );
}
