/**
 * A fetch for what is no provider (outside tools): over the same connections, by the client's proxies. Invariants: no
 * redirect is followed here, so that no header reaches another host; no answer, and no event of a stream, is longer than
 * `most` bytes.
 */
import type { RequestInit } from 'undici';
import type { Network } from '../provider.ts';
import { connectionsTo } from './connections.ts';
import { loadUndici } from './undici.ts';

export function boundedFetch(address: string, network: Network | undefined, most: number): typeof globalThis.fetch {
  const connections = connectionsTo(address, network);
  async function open(url: string, init: RequestInit) {
    const undici = await loadUndici();
    const dispatcher = await connections.dispatcher(() => {});
    const response = await undici.fetch(url, { ...init, redirect: 'manual', dispatcher });
    const { status, statusText, headers, body } = response;
    if (body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
    const bounded = (body as ReadableStream<Uint8Array>).pipeThrough(boundedBody(most, isStream));
    return new undici.Response(bounded, { status, statusText, headers });
  }
  // The types of undici and of the platform's fetch differ in name only.
  return open as unknown as typeof globalThis.fetch;
}

/** Of a stream it counts since the last empty line, which ends an event. */
function boundedBody(most: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? lastEmptyLine(chunk) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes > most) controller.error(new Error(`The answer is longer than ${most >> 20} MiB.`));
      else controller.enqueue(chunk);
    },
  });
}

function lastEmptyLine(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'));
}
