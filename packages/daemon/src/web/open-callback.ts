/**
 * Does: listens on the loopback where a browser comes back to after signing in, and shows its user a word. Invariants: it
 * answers on the one path alone and says nothing of what it was sent; whether a callback counts is decided by its state.
 */
import { createServer } from 'node:http';

const page = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>zerd</title><p style="font:1.2em sans-serif;margin:4em">${text}</p>`;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/** `arrived` gets path and query, and says whether that was for us. Rejects when the port is taken. */
export async function openCallback(redirectUrl: string, arrived: (url: string) => boolean): Promise<Disposable> {
  const { hostname, port, pathname } = new URL(redirectUrl);
  const http = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const isOurs = request.method === 'GET' && request.url?.split('?')[0] === pathname && arrived(request.url);
    response.writeHead(isOurs ? 200 : 404, headers);
    response.end(page(isOurs ? 'You can close this page and go back to zerd.' : 'Nothing is here.'));
  });
  http.maxConnections = 16;
  http.on('clientError', (_error, socket) => void socket.destroy());
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    // The name may mean either loopback: browsers try both, and the other one is refused at once.
    http.listen({ host: hostname === 'localhost' ? '127.0.0.1' : hostname, port: Number(port) }, resolve);
  });
  http.removeAllListeners('error').on('error', () => {});
  return {
    [Symbol.dispose]() {
      http.close();
      // The page of the one that came is still being written.
      setImmediate(() => http.closeIdleConnections());
    },
  };
}
