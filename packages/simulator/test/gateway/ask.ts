/** One gateway a test, closed after it, and requests to it as a client would send them. */
import { afterEach } from '@jest/globals';
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/start.ts';
import { scriptPlayer } from '../../src/players/script.ts';

export let gateway: Gateway | undefined;
afterEach(stop);

/** Closes the gateway of this test, if it is open. */
export async function stop(): Promise<void> {
  const open = gateway;
  gateway = undefined;
  await open?.close();
}

export async function start(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  gateway = await startGateway({ player: scriptPlayer([{ text: 'one' }, { text: 'two' }]), ...options });
  return gateway;
}

const headers = { 'content-type': 'application/json', 'x-api-key': 'secret', 'anthropic-version': '2023-06-01' };

export async function post(path: string, body: unknown, more: Record<string, string | undefined> = {}) {
  const given = Object.fromEntries(
    Object.entries({ ...headers, ...more }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${gateway?.origin}${path}`, { method: 'POST', headers: given, body: text });
  return { status: response.status, json: JSON.parse(await response.text()) as Record<string, unknown> };
}

export const hi = { model: 'sim', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
export const ask = async (body: unknown = hi) => {
  const { status, json } = await post('/v1/messages', body);
  const content = (json.content ?? []) as { readonly text?: string }[];
  return status === 200 ? content.map((block) => block.text).join('') : status;
};
