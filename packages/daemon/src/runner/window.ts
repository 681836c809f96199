/** Decides how many requests keep their results: what the client's environment says for this run, else the settings. */
import { plainNumber } from '@zerd/protocol/common/plain-number';
import type { Config } from '../config/load.ts';
import type { ClientEnv } from './runner.ts';

const most = 1_000;

/** A value that is no number from 1 to 1,000 counts for nothing. */
export function windowOf(config: Pick<Config, 'window'>, env: ClientEnv): number {
  const asked = plainNumber(env.ZERD_WINDOW?.trim() ?? '');
  return Number.isInteger(asked) && asked >= 1 && asked <= most ? asked : config.window;
}

/** That it counts for nothing, for people. */
export function windowWarnings(env: ClientEnv): readonly string[] {
  const text = env.ZERD_WINDOW?.trim() ?? '';
  if (text === '' || windowOf({ window: 0 }, env) > 0) return [];
  const shown = JSON.stringify(text.slice(0, 40));
  return [`ZERD_WINDOW is ${shown} and has no effect: it takes a whole number from 1 to ${most}.`];
}
