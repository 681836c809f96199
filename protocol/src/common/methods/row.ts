/** What a row of the method table is, and the two ways to make one. */
import { z } from 'zod';

/** Requests that name the same scope run one after the other: `session` by sessionId, `daemon` all together. */
export type Scope = 'none' | 'session' | 'daemon';

export interface MethodRow<P extends z.ZodType, R extends z.ZodType> {
  readonly direction: 'toDaemon' | 'toClient';
  readonly scope: Scope;
  readonly params: P;
  /** Absent for notifications (all of direction `toClient` are). */
  readonly result: R;
  readonly says: string;
}

export function request<P extends z.ZodType, R extends z.ZodType>(scope: Scope, says: string, params: P, result: R) {
  return { direction: 'toDaemon', scope, params, result, says } as const satisfies MethodRow<P, R>;
}

export function notice<P extends z.ZodType>(says: string, params: P) {
  return { direction: 'toClient', scope: 'none', params, result: z.void(), says } as const satisfies MethodRow<
    P,
    z.ZodVoid
  >;
}
