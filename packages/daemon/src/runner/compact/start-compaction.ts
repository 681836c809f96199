/**
 * Does: makes a compaction that the user asked for ready and commits its beginning. It is a turn without a message: it can
 * be watched and interrupted, and a crash closes it. What is wrong with it is found before the first event.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import { turnIdSchema } from '@zerd/protocol/common/ids';
import { resolveModel } from '../../config/models.ts';
import { interrupted } from '../attempt.ts';
import { requireTrust } from '../create-session.ts';
import { newId } from '../new-id.ts';
import type { TurnParts } from '../parts.ts';
import type { TurnEnd } from '../run-turn.ts';
import type { ClientEnv } from '../runner.ts';
import { contextOf, summarizerOf } from '../start-turn.ts';
import type { TurnContext } from '../turn-context.ts';
import { compactContext, decideCompaction, impossible } from './compact-context.ts';

export interface CompactWish {
  readonly sessionId: SessionId;
  readonly env: ClientEnv;
  readonly trust?: boolean;
}

export async function prepareCompaction(
  parts: TurnParts,
  { sessionId, env, trust }: CompactWish,
  signal: AbortSignal,
): Promise<{ turn: TurnContext; seq: number }> {
  requireTrust(parts, trust);
  const config = parts.readConfig();
  const model = await parts.windows.complete(resolveModel(config, parts.book.state(sessionId).model, env));
  const summarizer = await summarizerOf(parts, config, env);
  const turnId = turnIdSchema.parse(newId('turn', parts.clock));
  const turn = contextOf(parts, { sessionId, turnId, signal, model, summarizer, env });
  try {
    requireWork(turn);
    const { lastSeq } = await turn.append([{ kind: 'turn.started', turnId, work: 'compaction' }]);
    return { turn, seq: lastSeq };
  } catch (error) {
    await turn.fileWatch.close();
    throw error;
  }
}

function requireWork(turn: TurnContext): void {
  const decision = decideCompaction(turn, { overflow: false });
  if (decision.kind === 'nothing') {
    throw new ZerdError('invalid_params', 'There is nothing to compact in this session yet; nothing was changed.');
  }
  if (decision.kind === 'noRoom') throw new ZerdError('context_overflow', impossible(decision).message);
}

export async function runCompaction(turn: TurnContext): Promise<TurnEnd> {
  const failure = await compactContext(turn, { reason: 'asked for by the user', overflow: false });
  if (turn.signal.aborted) return { outcome: 'interrupted', failure: interrupted(turn) };
  if (failure === undefined) return { outcome: 'done' };
  return { outcome: failure.code === 'limit_reached' ? 'limit' : 'failed', failure };
}
