/**
 * The environment of a command that only looks and that nobody was asked about: no program of the repository is found by
 * its name, and git runs, fetches and writes nothing that the repository wishes (S-43, S-56).
 */
import { fetchesNothing, runsNothing, safePath } from './git.ts';

const settings = [...runsNothing, ['diff.ignoreSubmodules', 'all'], ['log.showSignature', 'false']] as const;
const ways = { GIT_OPTIONAL_LOCKS: '0', ...fetchesNothing };

/** `env`: what the command would have else. */
export function lookingEnv(root: string, env: Readonly<Record<string, string>>): Record<string, string> {
  // Git counts them; those of the user stay.
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const named = settings.flatMap(([name, value], n) => [
    [`GIT_CONFIG_KEY_${before + n}`, name],
    [`GIT_CONFIG_VALUE_${before + n}`, value],
  ]);
  const count = { GIT_CONFIG_COUNT: String(before + settings.length) };
  return { ...env, ...ways, ...Object.fromEntries(named), ...count, PATH: safePath(root, env.PATH) };
}
