/** The seed script and its files: played by a toy agent that only does what the script needs. */
import { createHash } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { benchScripts } from '../../src/bench/bench-scripts.ts';
import { seedFiles } from '../../src/bench/seed-files.ts';
import { type Gateway, startGateway } from '../../src/gateway/start.ts';
import { scriptPlayer } from '../../src/players/script.ts';

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

test('the files are as long as the script says, with many lines to find, and never change', () => {
  const files = [...seedFiles()];
  const lines = files.map(([name, text]) => [name, Buffer.byteLength(text), text.trimEnd().split('\n').length]);
  expect(lines).toEqual([
    ['handler.go', expect.any(Number), 303],
    ['store.go', expect.any(Number), 303],
    ['router.go', expect.any(Number), 303],
    ['test.log', 30_700, expect.any(Number)],
    ['bundle.min.js', expect.any(Number), 1],
  ]);
  const found = seedFiles()
    .get('handler.go')
    ?.split('\n')
    .filter((line) => line.includes('line 1'));
  expect([found?.length, Math.round((lines[4]?.[1] as number) / 1000)]).toEqual([62, 120]);
  expect(createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)).toMatchInlineSnapshot(
    `"64954c73988817df"`,
  );
});

test('the script is four cycles of nine calls', () => {
  const calls = benchScripts.seed?.steps.map((step) =>
    step.calls?.map(({ name, input }) => `${name} ${Object.values(input as object).join(' ')}`).join(),
  );
  const cycle = [
    'search line 1 handler.go',
    'read handler.go',
    'read store.go',
    'shell cat test.log',
    'read handler.go',
    'search line 1 handler.go',
    'shell cat bundle.min.js',
    'read router.go',
    'shell cat test.log',
  ];
  expect(calls).toEqual([...cycle, ...cycle, ...cycle, ...cycle]);
});

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly input?: { readonly path?: string; readonly command?: string };
}

/** Sends whole files back, 16 kB of each at most, and marks the newest block. */
async function playSeed(): Promise<readonly string[]> {
  gateway = await startGateway({
    player: scriptPlayer(benchScripts.seed?.steps ?? []),
  });
  const files = seedFiles();
  const messages: unknown[] = [{ role: 'user', content: 'go' }];
  for (;;) {
    const body = {
      model: 'sim',
      max_tokens: 100,
      messages: withMark(messages),
    };
    const headers = { 'x-api-key': 'k', 'anthropic-version': '1' };
    const response = await fetch(`${gateway.origin}/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as {
      readonly content?: readonly Block[];
      readonly error?: unknown;
    };
    if (answer.content === undefined) throw new Error(JSON.stringify(answer.error));
    const { content } = answer;
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) break;
    const textOf = ({ input }: Block) => files.get(input?.path ?? input?.command?.slice(4) ?? '')?.slice(0, 16_000);
    const results = calls.map((call) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: [{ type: 'text', text: textOf(call) }],
    }));
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
  return gateway.requests.map((request) => request.bodyText);
}

function withMark(messages: readonly unknown[]): readonly unknown[] {
  const last = messages.at(-1) as {
    readonly role: string;
    readonly content: string | readonly object[];
  };
  if (typeof last.content === 'string') return messages;
  const blocks = last.content.map((block, i) => (i === 0 ? { ...block, cache_control: { type: 'ephemeral' } } : block));
  return [...messages.slice(0, -1), { ...last, content: blocks }];
}

test('a toy agent makes 37 requests, the same bytes on every run, and what it pays is almost only reads', async () => {
  const first = await playSeed();
  const weights = gateway?.weights();
  await gateway?.close();
  expect([first.length, weights?.requests]).toEqual([37, 37]);
  expect(await playSeed()).toEqual(first);
  expect(gateway?.weights()).toEqual(weights);
  expect(weights?.hitRate).toBeGreaterThan(0.9);
  expect(weights?.peakTokens).toBe(weights?.cacheWrite);
});
