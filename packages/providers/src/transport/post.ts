/**
 * One short question to a provider beside the stream of an answer, as signing in asks them: posted, answered in JSON.
 * Invariants: it never throws, ends by its deadline, follows no redirect, so that nothing secret reaches another host, and
 * reads a bounded answer.
 */
import type { JsonValue } from '@zerd/protocol/common/json';
import type { Clock } from '@zerd/protocol/node/clock';
import { placeIn } from '../failure/place.ts';
import { parseJson } from '../json/fields.ts';
import type { Network } from '../provider.ts';
import { openAgent } from './network.ts';
import { readSome } from './read-some.ts';
import { loadUndici } from './undici.ts';

export type PostAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: JsonValue | undefined }
  /** Nobody answered: trying again may help. */
  | { readonly kind: 'unreachable'; readonly why: string };

export type PostBody = { readonly form: Readonly<Record<string, string>> } | { readonly json: JsonValue };

export interface PostParts {
  readonly clock: Clock;
  readonly network?: Network | undefined;
  readonly signal?: AbortSignal | undefined;
}

const deadlineMs = 30_000;
const mostBytes = 256 * 1024;

export async function post(url: string, body: PostBody, { clock, network, signal }: PostParts): Promise<PostAnswer> {
  const undici = await loadUndici();
  const over = new AbortController();
  const timer = clock.setTimer(deadlineMs, () => over.abort());
  const dispatcher = openAgent(undici, url, network);
  try {
    const response = await undici.fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': typeOf(body) },
      body: 'form' in body ? new URLSearchParams(body.form).toString() : JSON.stringify(body.json),
      redirect: 'error',
      dispatcher,
      signal: AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]),
    });
    return { kind: 'answer', status: response.status, body: parseJson(await readSome(response.body, mostBytes)) };
  } catch (error) {
    const why = over.signal.aborted ? `no answer within ${deadlineMs / 1000} s` : codeOf(error);
    return { kind: 'unreachable', why: `${placeIn(url)}: ${why}` };
  } finally {
    timer[Symbol.dispose]();
    await dispatcher.destroy();
  }
}

function typeOf(body: PostBody): string {
  return 'form' in body ? 'application/x-www-form-urlencoded' : 'application/json';
}

/** The reason as the system names it: messages may quote what was sent. */
function codeOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause ?? error;
  return String((cause as { code?: unknown }).code ?? 'the connection failed');
}
