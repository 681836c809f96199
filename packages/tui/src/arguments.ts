/** Reads the arguments of `zerd` without a command and of `zerd attach`. */
import { parseArgs } from 'node:util';
import type { Mode } from '@zerd/protocol/common/mode';

export interface Arguments {
  /** 'newest', or as it was named; undefined: a new one. */
  readonly session: string | undefined;
  readonly begin: { readonly model?: string; readonly mode?: Mode; readonly trust?: boolean };
}

export const usage = `
  zerd                        a new session in this repository
  zerd attach [session]       the newest session, or the one that is named
      --model provider/model  what answers a new session
      --mode MODE             read-only, ask (default), edit or full
      --trust                 trusts the repository for this run`;

const modes: readonly Mode[] = ['read-only', 'ask', 'edit', 'full'];

export function readArguments(argv: readonly string[]): Arguments | { readonly wrong: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { model: { type: 'string' }, mode: { type: 'string' }, trust: { type: 'boolean' } },
    });
    const [word, session, ...more] = positionals;
    if ((word !== undefined && word !== 'attach') || more.length > 0)
      return { wrong: `not understood: ${positionals.join(' ')}` };
    if (session !== undefined && !session.startsWith('ses_'))
      return { wrong: `'${session}' is no session id: they begin with ses_. See \`zerd sessions\`.` };
    const mode = modes.find((known) => known === values.mode);
    if (values.mode !== undefined && mode === undefined) return { wrong: `--mode is one of ${modes.join(', ')}` };
    return {
      session: word === 'attach' ? (session ?? 'newest') : undefined,
      begin: {
        ...(values.model === undefined ? {} : { model: values.model }),
        ...(mode === undefined ? {} : { mode }),
        ...(values.trust === true ? { trust: true } : {}),
      },
    };
  } catch (error) {
    return { wrong: error instanceof Object && 'message' in error ? String(error.message) : String(error) };
  }
}
