/**
 * Asks a server on one's own machine how many tokens it really takes. Invariants: it never throws, ends by its deadline,
 * follows no redirect and reads a bounded answer; a server that does not say leaves the window unknown.
 */
import type { JsonValue } from '@zerd/protocol/common/json';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Dispatcher } from 'undici';
import { parseJson } from '../json/fields.ts';
import { type WindowQuestion, windowQuestions } from '../local-server/window.ts';
import type { Endpoint } from '../provider.ts';
import { openAgent } from './network.ts';
import { readSome } from './read-some.ts';
import { loadUndici } from './undici.ts';

export interface ProbedWindow {
  readonly tokens: number;
  /** Which kind of server said so. */
  readonly server: string;
}

/** All questions together. */
const probeMs = 2000;
const mostBytes = 1024 * 1024;

export async function probeWindow(
  endpoint: Endpoint,
  modelId: string,
  clock: Clock,
): Promise<ProbedWindow | undefined> {
  const root = endpoint.baseUrl?.replace(/\/(?:v1\/?)?$/, '');
  if (root === undefined) return undefined;
  const undici = await loadUndici();
  const over = new AbortController();
  const timer = clock.setTimer(probeMs, () => over.abort());
  const dispatcher = openAgent(undici, root, endpoint.network);
  try {
    for (const question of windowQuestions(modelId)) {
      const answer = await ask(root, question, endpoint, dispatcher, over.signal);
      const tokens = answer === undefined ? undefined : question.read(answer);
      if (tokens !== undefined) return { tokens, server: question.server };
    }
    return undefined;
  } finally {
    timer[Symbol.dispose]();
    await dispatcher.destroy();
  }
}

/** Undefined: there is no such question here, or nobody is. */
async function ask(
  root: string,
  { path, body }: WindowQuestion,
  { apiKey, headers }: Endpoint,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  if (signal.aborted) return undefined;
  try {
    const undici = await loadUndici();
    const response = await undici.fetch(root + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      dispatcher,
      signal,
    });
    return response.ok ? parseJson(await readSome(response.body, mostBytes)) : undefined;
  } catch {
    // Refused, redirected, cut or too late: each means that the window stays unknown, which is what is returned.
    return undefined;
  }
}
