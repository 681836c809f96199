/**
 * Asks in the terminal what a running turn needs the user's word for, one thing after another, and sends the answers.
 * Invariant: nothing that was typed before a question was shown answers it; what is answered elsewhere is asked no more.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Feed } from '@zerd/protocol/node/follow';
import { paint } from '../present/paint.ts';
import { answersOf, type Pending, pendingLines, pendingOf, readAnswer } from '../present/pending.ts';
import { coloursProgress, type Terminal } from '../terminal.ts';

export interface AskHere {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly request: Feed['request'];
  readonly sessionId: SessionId;
}

export interface Asker extends Disposable {
  /** What is asked may have changed: it is looked at. */
  stir(): void;
}

/** What comes sooner was typed before anybody could have read the question. */
const readMs = 300;

/** Until disposed. */
export function askHere(wish: AskHere): Asker {
  const over = new AbortController();
  const news = createNews(over.signal);
  void loop(wish, news, over.signal);
  return { stir: () => news.tell(), [Symbol.dispose]: () => over.abort() };
}

async function loop(wish: AskHere, news: News, over: AbortSignal): Promise<void> {
  for (;;) {
    const changed = news.next();
    const next = (await pendingNow(wish))?.[0];
    if (over.aborted) return;
    if (next === undefined) await changed;
    else if (!(await ask(wish, next, news, over))) return;
  }
}

interface News {
  tell(): void;
  /** Settles with the next word of a change from now on, or when all is over. */
  next(): Promise<void>;
}

function createNews(over: AbortSignal): News {
  let settle = () => {};
  let coming: Promise<void> | undefined;
  const tell = () => {
    coming = undefined;
    settle();
  };
  over.addEventListener('abort', tell, { once: true });
  return {
    tell,
    next() {
      coming ??= new Promise((resolve) => {
        settle = resolve;
      });
      return over.aborted ? Promise.resolve() : coming;
    },
  };
}

/** Undefined: the daemon cannot be asked. When it is back, there is news. */
async function pendingNow({ request, sessionId }: AskHere): Promise<readonly Pending[] | undefined> {
  try {
    return pendingOf(sessionId, await request('session/read', { sessionId, limit: 1 }));
  } catch (error) {
    if (isZerdError(error)) return undefined;
    throw error;
  }
}

/** False: nobody types here any more. */
async function ask(wish: AskHere, pending: Pending, news: News, over: AbortSignal): Promise<boolean> {
  const { terminal } = wish;
  for (const line of pendingLines(pending)) terminal.err(paint(line, coloursProgress(terminal)));
  const settled = new AbortController();
  const gone = AbortSignal.any([over, settled.signal]);
  void watch(wish, pending, news, settled, gone);
  try {
    for (;;) {
      const text = await readFresh(wish, answersOf(pending), gone);
      if (gone.aborted) return true;
      if (text === undefined) return false;
      if (await send(wish, pending, text)) return true;
    }
  } finally {
    settled.abort();
  }
}

async function readFresh(
  { terminal, clock }: AskHere,
  answers: string,
  gone: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    terminal.err(`${answers} > `);
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
async function watch(
  wish: AskHere,
  { id }: Pending,
  news: News,
  settled: AbortController,
  gone: AbortSignal,
): Promise<void> {
  while (!gone.aborted) {
    const changed = news.next();
    const pending = await pendingNow(wish);
    if (gone.aborted) return;
    if (pending === undefined || pending.some((one) => one.id === id)) {
      await changed;
      continue;
    }
    wish.terminal.err('\n(answered elsewhere)\n');
    settled.abort();
  }
}
