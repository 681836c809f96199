/**
 * Does: before a request, tells the model what is new of outside tools. Only the first request of a session waits for
 * servers of which nothing is known, in sight and not for long; what they bring later is told with a later request.
 */
import { catalogueTokens, outsideTools } from '@zerd/core/mcp/catalogue';
import type { McpServer } from '@zerd/core/mcp/server';
import type { OutsideTools } from '../base/ports.ts';
import type { TurnContext } from './turn-context.ts';

const longestWaitMs = 5_000;

export async function remindOfOutsideTools(turn: TurnContext): Promise<void> {
  const { outside, turnId, model, outsideLimit } = turn;
  if (outside === undefined) return;
  const unknown = unknownIn(outside.servers());
  if (unknown.length > 0) await learn(turn, outside, unknown);
  const tokens = catalogueTokens(model.contextWindow, outsideLimit);
  const reminder = outsideTools(outside.servers(), turn.state().serversTold, { turnId, tokens });
  if (reminder !== undefined && !turn.signal.aborted) await turn.append([reminder]);
}

function unknownIn(servers: readonly McpServer[]): readonly string[] {
  return servers.flatMap(({ name, state }) => (state.kind === 'unknown' ? [name] : []));
}

/** Nobody waits in later requests: what was told of a server then stands, and a call connects it. */
async function learn(turn: TurnContext, outside: OutsideTools, unknown: readonly string[]): Promise<void> {
  const learnt = outside.learn(turn.signal);
  if (turn.state().compactions.answered > 0 || turn.state().serversTold.size > 0) return;
  const over = new AbortController();
  const name = `outside tools: ${unknown.join(', ')}`;
  const shown = turn.waits.begin(name, turn.sessionId, turn.clock.now() + longestWaitMs);
  const signal = AbortSignal.any([turn.signal, over.signal]);
  // Neither its end nor an interrupt is a failure.
  const waited = turn.clock.sleep(longestWaitMs, signal).catch(() => undefined);
  try {
    await Promise.race([learnt, waited]);
  } finally {
    over.abort();
    shown[Symbol.dispose]();
  }
}
