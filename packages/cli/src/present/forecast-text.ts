/** Puts into words what the next message is expected to cost, and what could be done instead. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { dollars, thousands } from './cost-line.ts';

type Forecast = ResultOf<'cost/forecast'>;

/** One line, and one for each other way. */
export function forecastText(sessionId: SessionId, { costPico, rewritten, prompt, why, ways }: Forecast): string {
  const what = rewritten > 0 ? `re-writes ${thousands(rewritten)} tokens` : `sends ${thousands(prompt)} tokens`;
  const reason = why === undefined ? '' : ` (${sanitiseLine(why)})`;
  const others = ways.flatMap((way) => otherWay(sessionId, way));
  return [`This message ${what}, about ${price(costPico)} of input${reason}.`, ...others, ''].join('\n');
}

function otherWay(sessionId: SessionId, { kind, costPico, prompt }: Forecast['ways'][number]): readonly string[] {
  const then = `about ${price(costPico)}, then ${thousands(prompt)} tokens a request`;
  if (kind === 'compact') return [`  compact first: ${then} (zerd compact --session ${sanitiseLine(sessionId)})`];
  return kind === 'new' ? [`  start a new session: ${then} (zerd run without --continue)`] : [];
}

function price(pico: number | null): string {
  return pico === null ? 'an unknown sum' : dollars(pico);
}
