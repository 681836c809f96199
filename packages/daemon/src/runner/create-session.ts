/**
 * Does: starts a session. Model, mode, system text and tools are settled and frozen in its first event (I2); what is
 * wrong with any of them is said before anything is written.
 */
import { systemPrompt } from '@zerd/core/context/system-prompt';
import { declareTools } from '@zerd/core/tools/declarations';
import { ZerdError } from '@zerd/protocol/common/errors';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { zerdVersion } from '@zerd/protocol/common/version';
import { resolveModel } from '../config/models.ts';
import type { Book } from './book.ts';
import { newId } from './new-id.ts';
import type { RunnerParts } from './parts.ts';
import type { Runner } from './runner.ts';

type Wish = Parameters<Runner['createSession']>[0];

export async function createSession(parts: RunnerParts, book: Book, wish: Wish): ReturnType<Runner['createSession']> {
  requireTrust(parts, wish.trust);
  const model = resolveModel(parts.readConfig(), wish.model, wish.env).ref;
  const sessionId = sessionIdSchema.parse(newId('ses', parts.clock));
  const mode = wish.mode ?? 'ask';
  const tools = JSON.stringify(declareTools());
  const state = await book.append(sessionId, [
    { kind: 'session.created', root: parts.root, model, mode, system: systemPrompt, tools, version: zerdVersion },
  ]);
  return { sessionId, model, mode, seq: state.lastSeq };
}

/** I7: before the user's word nothing of a repository is read or run. */
export function requireTrust(parts: RunnerParts, forThisRun: boolean | undefined): void {
  if (forThisRun || parts.trust.trusted()) return;
  throw new ZerdError(
    'untrusted',
    `The repository ${parts.root} is not trusted, so nothing of it was read or run. Run \`zerd trust\` there, or pass --trust for one run.`,
  );
}
