/**
 * A real MCP server, a real daemon, a scripted model: it is told of the tools, calls them, is refused what does not fit,
 * and a daemon that is killed in the middle of a call never makes that call again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { anthropicBlocks, chatBlocks, responsesBlocks } from '@zerd/simulator/weigh/blocks';
import type { Json } from '@zerd/simulator/wire';
import { type Config, type House, inHouse } from '../support/house.ts';
import { daemonsWith, processesWith } from '../support/left-alive.ts';

const server = join(import.meta.dirname, '../support/mcp-server.mjs');
const blocksOver = { anthropic: anthropicBlocks, responses: responsesBlocks, chat: chatBlocks };

const call = (input: unknown) => ({ calls: [{ name: 'mcp', input }] });

/** The server writes what it is asked into a file of the repository, which is its working folder. */
const config = (usual: Config) => ({
  ...usual,
  mcp: { servers: { helper: { command: process.execPath, args: [server], env: { MCP_NOTES: 'notes' } } } },
});

async function eventually<T>(get: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await get();
    if (holds(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const isEmpty = (found: readonly unknown[]) => found.length === 0;

async function kinds<K extends SessionEvent['kind']>(house: House, sessionId: string, kind: K) {
  const events = await house.events(sessionId);
  return events.flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
}

function called({ repository }: House): readonly string[] {
  const file = join(repository, 'notes');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const notes = lines.map((line) => JSON.parse(line) as { method?: string; tool?: string });
  return notes.flatMap(({ method, tool }) => (method === 'tools/call' ? [tool ?? ''] : []));
}

test.each(['anthropic', 'responses', 'chat'] as const)(
  'I3, F-13: over %s the tools of a server are told behind the prompt, called, and refused where the arguments do not fit',
  async (wire) => {
    const steps = [
      call({ tool: 'helper/echo', arguments: { text: 7 } }),
      call({ tool: 'helper/echo', arguments: { text: 'hello' } }),
      call({ tool: 'helper/refuse' }),
      call({ tool: 'helper/picture' }),
      call({ tool: 'helper/grow' }),
      { text: 'Done.' },
    ];
    await inHouse({ wire, steps, config }, async (house) => {
      await house.zerd(['trust']);
      // Its tools are known before the session begins, however slow this machine is.
      expect((await house.zerd(['mcp', 'restart', 'helper'])).code).toBe(0);
      const run = await house.zerd(['run', '--mode', 'full', '--json', 'Go']);
      const { sessionId } = JSON.parse(run.stdout) as { sessionId: string };
      expect(run.code).toBe(0);
      const results = await kinds(house, sessionId, 'toolCall.finished');
      expect(results.map(({ outcome, shown }) => [outcome, shown])).toEqual([
        [
          'failed',
          'Not called: the arguments of helper/echo do not fit: text: Invalid input: expected string, received number. Its schema: {"type":"object","properties":{"text":{"type":"string"}}}',
        ],
        ['ok', 'hello'],
        ['failed', 'It does not go.'],
        ['ok', expect.stringMatching(/^\[image\/png, 3 bytes, kept as [0-9a-f]{12}\]\n\[link a: file:\/\/\/a\]\nb$/)],
        ['ok', 'grown'],
      ]);
      expect(called(house)).toEqual(['echo', 'refuse', 'picture', 'grow']);
      const told = (await kinds(house, sessionId, 'reminder.added')).map(({ text }) => text.split('\n').slice(1, 3));
      expect(told[0]).toEqual(['helper:', 'echo(text?): The tool echo']);
      const requests = house.gateway.requests.map(({ bodyText }) =>
        blocksOver[wire](JSON.parse(bodyText) as Json).map(({ text }) => text),
      );
      for (const [at, blocks] of requests.entries()) {
        const before = requests[at - 1] ?? [];
        expect(blocks.slice(0, before.length)).toEqual(before);
      }
      expect(house.gateway.requests.every(({ refusal }) => refusal === null)).toBe(true);
      // Its servers end with a daemon.
      await house.zerdd(['stop']);
      await eventually(() => processesWith(server), isEmpty);
    });
  },
  60_000,
);

test('F-22, I9: a daemon that is killed in the middle of a call of an outside tool leaves it unknown, and its server ends', async () => {
  const steps = [call({ tool: 'helper/wait', arguments: {} }), { text: 'I see.' }];
  await inHouse({ steps, config }, async (house) => {
    await house.zerd(['trust']);
    const run = house.start(['run', '--mode', 'full', 'Go']);
    await eventually(
      () => called(house),
      (tools) => tools.length === 1,
    );
    run.child.kill('SIGKILL');
    for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
    const client = await house.connect();
    const [session] = (await client.request('session/list', {})).sessions;
    const sessionId = session?.sessionId ?? '';
    await eventually(
      () => kinds(house, sessionId, 'turn.finished'),
      (found) => found.length === 1,
    );
    const results = await kinds(house, sessionId, 'toolCall.finished');
    expect(results.map(({ outcome, shown }) => [outcome, shown])).toEqual([
      ['unknown', expect.stringContaining('nterrupted, result unknown')],
    ]);
    expect(called(house)).toEqual(['wait']);
    await eventually(() => processesWith(server), isEmpty);
  });
}, 60_000);
