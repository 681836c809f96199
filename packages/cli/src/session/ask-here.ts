/**
 * Asks in the terminal what a running turn needs the user's word for, one thing after another, and sends the answers.
 * Invariant: nothing that was typed before a question was shown answers it; what is answered elsewhere is asked no more.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Feed } from '@zerd/protocol/node/follow';
import { paint } from '../present/paint.ts';
import { type Pending, pendingLines, pendingOf, readAnswer } from '../present/pending.ts';
import { coloursProgress, type Terminal } from '../terminal.ts';

export interface AskHere {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly request: Feed['request'];
  readonly sessionId: SessionId;
}

const lookMs = 500;
/** What comes sooner was typed before anybody could have read the question. */
const readMs = 300;

/** Until disposed. */
export function askHere(wish: AskHere): Disposable {
  const over = new AbortController();
  void loop(wish, over.signal);
  return { [Symbol.dispose]: () => over.abort() };
}

async function loop(wish: AskHere, over: AbortSignal): Promise<void> {
  const { clock } = wish;
  while (!over.aborted) {
    const [next] = await pendingNow(wish);
    if (next !== undefined && !over.aborted && !(await ask(wish, next, over))) return;
    await clock.sleep(lookMs, over).catch(() => undefined);
  }
}

/** While the daemon cannot be asked nothing is known: who follows the session says so. */
async function pendingNow({ request, sessionId }: AskHere): Promise<readonly Pending[]> {
  try {
    return pendingOf(sessionId, await request('session/read', { sessionId, limit: 1 }));
  } catch (error) {
    if (isZerdError(error)) return [];
    throw error;
  }
}

/** False: nobody types here any more. */
async function ask(wish: AskHere, pending: Pending, over: AbortSignal): Promise<boolean> {
  const { terminal } = wish;
  for (const line of pendingLines(pending)) terminal.err(paint(line, coloursProgress(terminal)));
  const settled = new AbortController();
  const gone = AbortSignal.any([over, settled.signal]);
  void watch(wish, pending, settled, gone);
  try {
    for (;;) {
      const text = await readFresh(wish, gone);
      if (gone.aborted) return true;
      if (text === undefined) return false;
      if (await send(wish, pending, text)) return true;
    }
  } finally {
    settled.abort();
  }
}

async function readFresh({ terminal, clock }: AskHere, gone: AbortSignal): Promise<string | undefined> {
  for (;;) {
    terminal.err('> ');
    const shownAt = clock.now();
    const text = await terminal.readLine(gone);
    if (text === undefined || gone.aborted || clock.now() - shownAt >= readMs) return text;
    terminal.err('(typed before the question was shown; once more)\n');
  }
}

/** True: it is settled, by this answer or by an earlier one. */
async function send({ request, terminal }: AskHere, pending: Pending, text: string): Promise<boolean> {
  const said = readAnswer(pending, text);
  if (said.method === undefined) {
    terminal.err(`${said.says}\n`);
    return false;
  }
  try {
    if (said.method === 'approval/answer') await request(said.method, said.params);
    else await request(said.method, said.params);
  } catch (error) {
    if (!isZerdError(error)) throw error;
    terminal.err(`zerd: ${error.message}\n`);
  }
  return true;
}

/** Somebody else may answer it. */
async function watch(wish: AskHere, { id }: Pending, settled: AbortController, gone: AbortSignal): Promise<void> {
  while (!gone.aborted) {
    await wish.clock.sleep(lookMs, gone).catch(() => undefined);
    if (gone.aborted) return;
    const pending = await pendingNow(wish);
    if (gone.aborted || pending.some((one) => one.id === id)) continue;
    wish.terminal.err('\n(answered elsewhere)\n');
    settled.abort();
  }
}
