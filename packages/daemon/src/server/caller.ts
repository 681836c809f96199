/** One connected client, as handlers see it. */
import type { Link } from '@zerd/protocol/node/link';
import type { ClientEnv } from '../runner/runner.ts';

export interface Caller {
  /** For the log. */
  readonly id: number;
  readonly link: Pick<Link, 'send' | 'backlog' | 'drained' | 'ended' | 'closed'>;
  /** Set by `initialize`. The environment is held here, in memory only. */
  hello?: { readonly name: string; readonly protocol: number; readonly env: ClientEnv };
}

/** The environment that the client brought; empty when it brought none. */
export function envOf(caller: Caller): ClientEnv {
  return caller.hello?.env ?? {};
}

/** As the log keeps it. */
export function clientName({ hello }: Caller): { readonly by?: string } {
  return hello === undefined ? {} : { by: hello.name };
}
