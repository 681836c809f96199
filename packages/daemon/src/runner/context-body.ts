/**
 * Does: shows what was sent for a request of a session, or would be sent next, exactly and in plain form, without any key.
 */
import { outlineOf } from '@zerd/core/context/outline';
import { type PastPrompt, pastPrompt } from '@zerd/core/context/past-prompt';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { RequestId, SessionId } from '@zerd/protocol/common/ids';
import { createProvider } from '@zerd/providers/create-provider';
import { describeEndpoint } from '../config/models.ts';
import { cacheKeyOf } from './cache-key.ts';
import type { RunnerParts } from './parts.ts';
import type { Runner } from './runner.ts';

export function contextBody(
  { store, readConfig, windows }: RunnerParts,
  sessionId: SessionId,
  requestId: RequestId | undefined,
): ReturnType<Runner['contextBody']> {
  const config = readConfig();
  const keyOf = (state: SessionState) => cacheKeyOf(state, sessionId, describeEndpoint(config, state.model).endpoint);
  const past = pastPrompt(store.read(sessionId), requestId, keyOf);
  if (past === undefined) throw new ZerdError('invalid_params', `Session ${sessionId} made no request ${requestId}.`);
  const { model, prompt, state } = past;
  return {
    model,
    body: encoded(past, describeEndpoint(config, model, windows.known)),
    outline: outlineOf(prompt, state),
  };
}

function encoded({ prompt, settings }: PastPrompt, asked: ReturnType<typeof describeEndpoint>): string {
  return JSON.stringify(createProvider(asked.endpoint).encode(prompt, settings(asked.settings)));
}
