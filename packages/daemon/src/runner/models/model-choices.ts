/**
 * Keeps in whose environment the model of a session was chosen while a turn runs: its key may be that client's alone. In
 * memory only. Whoever waits for the model of before hears of a choice.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ClientEnv } from '../runner.ts';

export interface ModelChoices {
  chose(sessionId: SessionId, env: ClientEnv): void;
  /** Undefined: chosen before this daemon began. */
  envOf(sessionId: SessionId): ClientEnv | undefined;
  settled(sessionId: SessionId): void;
  onChoice(sessionId: SessionId, listener: () => void): Disposable;
}

export function createModelChoices(): ModelChoices {
  const envs = new Map<SessionId, ClientEnv>();
  const listeners = new Set<{ readonly sessionId: SessionId; readonly listener: () => void }>();
  return {
    chose(sessionId, env) {
      envs.set(sessionId, env);
      for (const one of [...listeners]) if (one.sessionId === sessionId) one.listener();
    },
    envOf: (sessionId) => envs.get(sessionId),
    settled: (sessionId) => void envs.delete(sessionId),
    onChoice(sessionId, listener) {
      const one = { sessionId, listener };
      listeners.add(one);
      return { [Symbol.dispose]: () => void listeners.delete(one) };
    },
  };
}
