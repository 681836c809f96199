/** The options that limit what a turn may do and spend: the same names wherever a turn is begun. */
import { given } from './given.ts';
import type { OptionValues } from './options.ts';

export const limitNames = ['max-requests', 'max-cost', 'max-tokens'] as const;
type LimitValues = OptionValues<(typeof limitNames)[number]>;

/** Undefined: they are sound. */
export function limitComplaint(args: LimitValues): string | undefined {
  for (const name of ['max-requests', 'max-tokens'] as const) {
    const limit = args[name];
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
      return `--${name} takes a whole number from 1.`;
  }
  const cost = args['max-cost'];
  return cost === undefined || (cost > 0 && cost <= 1_000_000) ? undefined : '--max-cost takes dollars, as 0.50.';
}

/** As the protocol has them. */
export function limitsOf(args: LimitValues) {
  return given({ maxRequests: args['max-requests'], maxCostUsd: args['max-cost'], maxTokens: args['max-tokens'] });
}
