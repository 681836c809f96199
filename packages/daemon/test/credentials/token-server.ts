/** The token endpoint of a provider, as strict as the real one: a refresh token works once, and a second use ends the sign-in. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenServer extends AsyncDisposable {
  readonly url: string;
  /** The forms that came, in order. */
  readonly asked: readonly Record<string, string>[];
  /** Every later answer is this status. */
  fail(status: number): void;
}

/** `slowly`: each answer takes so many milliseconds. */
export async function startTokenServer(first = 'refresh-0', slowly = 0): Promise<TokenServer> {
  const asked: Record<string, string>[] = [];
  let valid = first;
  let failing = 0;
  let count = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(text));
      asked.push(form);
      const isFirst = form.grant_type === 'authorization_code';
      const good = failing === 0 && (isFirst || form.refresh_token === valid);
      const status = failing || (good ? 200 : 400);
      count += 1;
      if (good) valid = `refresh-${count}`;
      const tokens = { access_token: `access-${count}`, refresh_token: valid, expires_in: 3_600 };
      const body = good ? tokens : { error: 'invalid_grant' };
      setTimeout(() => response.writeHead(status).end(JSON.stringify(body)), slowly);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    asked,
    fail(status) {
      failing = status;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
