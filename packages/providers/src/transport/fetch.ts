/**
 * The SDKs' fetch for one attempt. It judges the answer before the SDK sees it: a refusal is classified from its bounded
 * body, a page or a document where a stream should be is malformed. Invariant: it never follows a redirect, so that a key
 * reaches no other host than the configured one (S-24).
 */
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { RequestInit, Response } from 'undici';
import { classify, isHtml } from '../failure/classify.ts';
import { malformed } from '../failure/thrown.ts';
import { isObject, parseJson } from '../json/fields.ts';
import type { Connections } from './connections.ts';
import { type StreamWatch, watchEventStream } from './event-stream.ts';
import { loadUndici } from './undici.ts';

export interface AttemptWatch extends StreamWatch {
  /** Where the request goes; before anything is sent. */
  addressed(url: string): void;
  connected(): void;
  /** The answer's head is here and it is a stream. */
  answered(): void;
}

type Fetch = typeof globalThis.fetch;

export function attemptFetch(connections: Connections, watch: AttemptWatch): Fetch {
  async function open(url: string, init: RequestInit): Promise<Response> {
    watch.addressed(url);
    const undici = await loadUndici();
    const dispatcher = await connections.dispatcher(watch.connected);
    const response = await undici.fetch(url, { ...init, redirect: 'manual', dispatcher });
    const failure = await refusalIn(response, watch.clock.wall());
    if (failure !== undefined) {
      watch.failed(failure);
      throw new Error(failure.message);
    }
    watch.answered();
    const { status, statusText, headers, body } = response;
    if (body === null) return response;
    return new undici.Response(watchEventStream(body as ReadableStream<Uint8Array>, watch), {
      status,
      statusText,
      headers,
    });
  }
  // The types of undici and of the platform's fetch differ in name only.
  return open as unknown as Fetch;
}

/** Undefined: it may be an event stream. Servers that send one under another name are let through. */
async function refusalIn(response: Response, wallNow: number): Promise<ProviderFailure | undefined> {
  const header = (name: string) => response.headers.get(name);
  const type = header('content-type') ?? '';
  if (response.ok && !/^(text\/html|application\/json)\b/i.test(type)) return undefined;
  const text = await readSome(response);
  const body = parseJson(text) ?? text;
  if (!response.ok) return classify({ status: response.status, body, header, wallNow });
  // Some gateways answer 200 and put the error in the body.
  if (isObject(body) && body.error) return classify({ body, header, wallNow });
  const what = isHtml(text) ? 'an HTML page' : `${type} instead of an event stream`;
  return malformed(`The endpoint answered with ${what}. Check baseUrl and wire.`);
}

const mostRefusalBytes = 64 * 1024;

async function readSome(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes >= mostRefusalBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
