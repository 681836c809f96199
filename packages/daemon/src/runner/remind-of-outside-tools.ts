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
  await learn(turn, outside);
  const tokens = catalogueTokens(model.contextWindow, outsideLimit);
  const reminder = outsideTools(outside.servers(), turn.state().serversTold, { turnId, tokens });
  if (reminder !== undefined && !turn.signal.aborted) await turn.append([reminder]);
}

/** Nobody waits in later requests: what was told of a server then stands, and what comes of it is told when it is there. */
async function learn(turn: TurnContext, outside: OutsideTools): Promise<void> {
  const servers = outside.servers();
  const isFirst = turn.state().compactions.answered === 0 && turn.state().serversTold.size === 0;
  const unknown = namesOf(servers, 'unknown');
  // One that failed is tried again once a turn.
  const failed = turn.state().turn?.requests === 0 ? namesOf(servers, 'failed') : [];
  if (unknown.length + failed.length === 0) return;
  const learnt = outside.learn(turn.signal).catch((error: unknown) => {
    turn.log.error('servers of outside tools could not be learnt', { error, sessionId: turn.sessionId });
  });
  if (isFirst && unknown.length > 0) await waitFor(turn, learnt, `outside tools: ${unknown.join(', ')}`);
}

function namesOf(servers: readonly McpServer[], kind: McpServer['state']['kind']): readonly string[] {
  return servers.flatMap(({ name, state }) => (state.kind === kind ? [name] : []));
}

async function waitFor(turn: TurnContext, learnt: Promise<unknown>, name: string): Promise<void> {
  const { clock, waits, sessionId } = turn;
  const over = new AbortController();
  const shown = waits.begin(name, sessionId, clock.now() + longestWaitMs);
  // Neither its end nor an interrupt is a failure.
  const waited = clock.sleep(longestWaitMs, AbortSignal.any([turn.signal, over.signal])).catch(() => undefined);
  try {
    await Promise.race([learnt, waited]);
  } finally {
    over.abort();
    shown[Symbol.dispose]();
  }
}
