/**
 * Decides how much the other side may ask before it has to wait: what is not answered yet is counted, and while that is
 * too much nothing more is read from it. Invariant: what one side holds for the other is bounded, whatever that one sends.
 */
import type { RpcMessage } from './framing.ts';

export interface IntakeLimits {
  /** Requests without an answer. */
  readonly requests: number;
  readonly bytes: number;
}

/** Two of the largest messages, and more requests than anybody asks at once. */
export const intakeLimits: IntakeLimits = { requests: 1_000, bytes: 32 * 1024 * 1024 };

export interface Intake {
  received(message: RpcMessage, bytes: number): void;
  /** A message that is sent: an answer makes room. */
  sent(message: object): void;
}

export interface Source {
  pause(): unknown;
  resume(): unknown;
}

export function createIntake(source: Source, limits: IntakeLimits = intakeLimits): Intake {
  /** Bytes of the requests that are open under an id: a client may use one twice. */
  const open = new Map<unknown, number[]>();
  let requests = 0;
  let bytes = 0;
  let paused = false;

  function look(): void {
    const isFull = requests >= limits.requests || bytes >= limits.bytes;
    if (isFull === paused) return;
    paused = isFull;
    if (isFull) source.pause();
    else source.resume();
  }

  return {
    received(message, size) {
      if (!('method' in message) || !isAnswerable(message.id)) return;
      open.set(message.id, [...(open.get(message.id) ?? []), size]);
      requests += 1;
      bytes += size;
      look();
    },
    sent(message) {
      if ('method' in message || !('id' in message)) return;
      const [size, ...others] = open.get(message.id) ?? [];
      if (size === undefined) return;
      if (others.length > 0) open.set(message.id, others);
      else open.delete(message.id);
      requests -= 1;
      bytes -= size;
      look();
    },
  };
}

/** A request with another id gets no answer. */
function isAnswerable(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number';
}
