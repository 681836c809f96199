/** How much more a limit allows than the one that holds, in the measures that both name; undefined: no more. */
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';

export function moreThan(holds: SpendingLimit, said: SpendingLimit): SpendingLimit | undefined {
  const pico = more(holds.pico, said.pico);
  const tokens = more(holds.tokens, said.tokens);
  if (pico === undefined && tokens === undefined) return undefined;
  return { ...(pico === undefined ? {} : { pico }), ...(tokens === undefined ? {} : { tokens }) };
}

function more(holds: number | undefined, said: number | undefined): number | undefined {
  return holds !== undefined && said !== undefined && said > holds ? said - holds : undefined;
}
