/** Decides how many requests keep their results: what the client's environment says for this run, else the settings. */
import type { Config } from '../config/load.ts';
import type { ClientEnv } from './runner.ts';

/** A value that is no number from 1 to 1,000 counts for nothing. */
export function windowOf(config: Pick<Config, 'window'>, env: ClientEnv): number {
  const asked = Number(env.ZERD_WINDOW?.trim() || Number.NaN);
  return Number.isInteger(asked) && asked >= 1 && asked <= 1_000 ? asked : config.window;
}
