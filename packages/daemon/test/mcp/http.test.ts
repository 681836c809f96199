import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { type HttpServer, httpServer, type Message } from './http-server.ts';
import { env, mcpScene, type Scene, said, until } from './mcp-scene.ts';

const nobody = new AbortController().signal;

function sceneOf(
  { url }: Pick<HttpServer, 'url'>,
  more: object = {},
): Scene & { clock: ReturnType<typeof manualClock> } {
  const clock = manualClock();
  const headers = { Authorization: 'Bearer ${TOKEN}' };
  return Object.assign(mcpScene({ manual: clock, user: { test: { url, headers, ...more } } }), { clock });
}

const call = async (scene: Scene) => said(await scene.call('echo', { a: 1 }));
const answered = ['ok', '{"a":1}'];

/** Answers calls of tools in a way of its own. */
function calls(http: HttpServer, answer: (response: ServerResponse, message: Message) => void): void {
  http.instead = (message, response) => {
    if (message.method !== 'tools/call') return false;
    answer(response, message);
    return true;
  };
}

test('a server at an address is called with its headers in one session, and answers as a document or a stream', async () => {
  for (const streams of [false, true]) {
    await using http = await httpServer();
    http.streams = streams;
    await using scene = sceneOf(http);
    expect(await call(scene)).toEqual(answered);
    expect(http.asked).toEqual([
      `initialize Bearer ${env.TOKEN}`,
      ...['notifications/initialized', 'tools/list', 'tools/call'].map((method) => `${method} Bearer ${env.TOKEN} s1`),
    ]);
    expect(JSON.stringify([scene.lines, scene.mcp.list()])).not.toContain(env.TOKEN);
  }
});

test('one that asks for a sign-in says so, and what to do', async () => {
  await using http = await httpServer();
  http.instead = (_message, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{}');
    return true;
  };
  await using scene = sceneOf(http);
  const [server] = await scene.mcp.learn(env, nobody);
  expect(server?.state).toEqual({
    kind: 'failed',
    why: 'the server asks for a sign-in (HTTP 401), which zerd does not do for outside tools: give the entry a header with a token, as "headers": {"Authorization": "Bearer ${NAME}"}',
  });
});

test('a redirect to another host is not followed, and no header goes there', async () => {
  await using other = await httpServer();
  await using http = await httpServer();
  http.instead = (_message, response) => {
    response.writeHead(307, { location: other.url.replace('127.0.0.1', 'localhost') }).end();
    return true;
  };
  await using scene = sceneOf(http);
  const [server] = await scene.mcp.learn(env, nobody);
  expect(server?.state).toMatchObject({ kind: 'failed', why: expect.stringContaining('HTTP 307') });
  expect(other.asked).toEqual([]);
});

test('a session that the server forgot is begun anew, and the call made once', async () => {
  await using http = await httpServer();
  await using scene = sceneOf(http);
  expect(await call(scene)).toEqual(answered);
  let forgot = false;
  http.instead = (_message, response) => {
    if (forgot) return false;
    forgot = true;
    response.writeHead(404).end();
    return true;
  };
  expect(await call(scene)).toEqual(answered);
  expect(http.asked.filter((line) => line.startsWith('initialize'))).toHaveLength(2);
});

test('what failed before it reached the server has failed; what broke off behind that is unknown', async () => {
  await using http = await httpServer();
  await using scene = sceneOf(http);
  await call(scene);
  calls(http, (response) => response.writeHead(400).end('no'));
  expect((await call(scene))[0]).toBe('failed');
  calls(http, (response) => response.destroy());
  expect(await call(scene)).toEqual(['unknown', expect.stringContaining('Whether it took effect is not known')]);
  calls(http, (response) => response.writeHead(500).end('oops'));
  expect((await call(scene))[0]).toBe('unknown');
  http.instead = () => false;
  expect(await call(scene)).toEqual(answered);
});

test('an address at which nobody listens has failed, and the call did nothing', async () => {
  const { url } = await (async () => {
    await using gone = await httpServer();
    return gone;
  })();
  await using scene = sceneOf({ url });
  expect(await call(scene)).toEqual(['failed', expect.stringMatching(/was not called.*ECONNREFUSED/)]);
});

test('a stream that stalls ends by the deadline of the call, and the interrupt of one is told to the server', async () => {
  await using http = await httpServer();
  http.streams = true;
  await using scene = sceneOf(http);
  await call(scene);
  let open = 0;
  calls(http, (response) => {
    open += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': still here\n\n');
  });
  const slow = call(scene);
  await until(() => open === 1);
  scene.clock.advance(60_000);
  expect(await slow).toEqual(['unknown', expect.stringContaining('gave no answer for 60 s')]);
  await until(() => http.asked.some((line) => line.startsWith('notifications/cancelled')));
});

test('an answer of more than 64 MiB is not read to its end', async () => {
  await using http = await httpServer();
  await using scene = sceneOf(http);
  await call(scene);
  calls(http, (response, { id }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const text = 'x'.repeat(65 * 1024 * 1024);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
  });
  expect(await call(scene)).toEqual(['unknown', expect.stringContaining('The answer is longer than 64 MiB.')]);
});

test('an address that is none once it is filled in is named, without what was filled in', async () => {
  await using scene = sceneOf({ url: '${TOKEN}' });
  expect((await call(scene))[1]).toContain('its url, as filled in, is no http or https address');
  expect(scene.lines.join()).not.toContain(env.TOKEN);
});
