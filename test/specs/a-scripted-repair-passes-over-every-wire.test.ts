/**
 * One user turn through the whole house: look, read and test, edit, test again, say so. Over each wire, through the
 * daemon and without it, the gateway receives exactly these requests, and every client sees the same events.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import { type Config, type House, type HouseWire, inHouse } from '../support/house.ts';
import type { Running } from '../support/run-program.ts';

const files = {
  'sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n',
  'test.sh':
    '. ./sum.sh\nif [ "$(sum 2 2)" = 4 ]; then echo passed; else echo "failed: 2 + 2 is $(sum 2 2)"; exit 1; fi\n',
};

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  /** What the model is shown of its result. */
  readonly shown: string;
  readonly failed?: true;
}

interface Exchange {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls: readonly Call[];
}

/** The conversation as it must have been: what the model said, and what it was then shown. */
const exchanges: readonly Exchange[] = [
  {
    reasoning: 'Where is the sum made?',
    calls: [{ id: 'c1', name: 'search', input: { pattern: 'sum\\(\\)' }, shown: 'sum.sh\n1: sum() {' }],
  },
  {
    text: 'I read it and run the tests.',
    calls: [
      { id: 'c2', name: 'read', input: { path: 'sum.sh' }, shown: files['sum.sh'] },
      {
        id: 'c3',
        name: 'shell',
        input: { command: 'sh test.sh' },
        shown: 'exit 1\nfailed: 2 + 2 is 0',
        failed: true,
      },
    ],
  },
  {
    calls: [
      {
        id: 'c4',
        name: 'edit',
        input: { path: 'sum.sh', old: '$1 - $2', new: '$1 + $2' },
        shown: 'sum.sh edited (line 2): +1 -1.',
      },
    ],
  },
  { calls: [{ id: 'c5', name: 'shell', input: { command: 'sh test.sh' }, shown: 'passed' }] },
];

const farewell = 'The tests pass: sum adds again.';
const prompt = 'make the tests pass';
const steps: readonly Step[] = [...exchanges.map(stepOf), { text: farewell }];

function stepOf({ calls, ...said }: Exchange): Step {
  return { ...said, calls: calls.map(({ id, name, input }) => ({ id, name, input })) };
}

for (const wire of ['anthropic', 'responses', 'chat'] as const) {
  for (const way of ['through the daemon', 'with --no-daemon'] as const) {
    test(`the repair over ${wire} ${way}: five exact requests, each beginning with the bytes of the one before`, async () => {
      await inHouse({ wire, steps, files }, async (house) => {
        const args = [
          'run',
          '--trust',
          '--mode',
          'full',
          ...(way === 'with --no-daemon' ? ['--no-daemon'] : []),
          prompt,
        ];
        expect(await house.zerd(args)).toEqual({ code: 0, stdout: `${farewell}\n`, stderr: '' });
        expect(readFileSync(join(house.repository, 'sum.sh'), 'utf8')).toBe('sum() {\n  echo $(($1 + $2))\n}\n');
        const bodies = bodiesOf(house);
        expect(bodies).toEqual(
          exchanges.concat({ calls: [] }).map((_, answered) => expectedBody[wire](house, answered)),
        );
        expectGrowingPrefix(bodies);
      });
    });
  }

  test(`over ${wire}, the run and two watchers see the same events, and the log holds them`, async () => {
    await inHouse({ wire, steps, files }, async (house) => {
      const run = house.start(['run', '--trust', '--mode', 'full', '--stream-json', prompt]);
      const [first] = await lines(run, 1);
      const { sessionId } = JSON.parse(first ?? '{}');
      const watchers = [house.start(['watch', sessionId, '--json']), house.start(['watch', sessionId, '--json'])];
      expect((await run.finished).code).toBe(0);
      for (const watcher of watchers) {
        await lines(watcher, run.stdout().split('\n').length - 1);
        watcher.child.kill('SIGINT');
        await watcher.finished;
      }
      expect(watchers.map((watcher) => hashOf(watcher.stdout()))).toEqual([hashOf(run.stdout()), hashOf(run.stdout())]);
      const seen = jsonLines(run.stdout()).map(({ seq, at, event }) => ({ seq, at, event }));
      expect(await house.events(sessionId)).toEqual(seen);
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, i) => i + 1));
    });
  });
}

test("the repair over ChatGPT's backend: the account of the token, and the session as the cache key says it", async () => {
  const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1' } };
  const token = `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`;
  const config = ({ providers: { sim }, ...rest }: Config) => {
    const baseUrl = sim.baseUrl.replace(/\/v1$/, '/backend-api/codex');
    return { ...rest, providers: { sim: { ...sim, baseUrl, codex: true } } };
  };
  await inHouse({ wire: 'responses', steps, files, config, env: { SIM_API_KEY: token } }, async (house) => {
    const run = await house.zerd(['run', '--trust', '--mode', 'full', '--json', prompt]);
    const { sessionId } = JSON.parse(run.stdout);
    const { requests } = house.gateway;
    expect(
      requests.map(({ path, status, headers, body }) => [
        path,
        status,
        headers['chatgpt-account-id'],
        headers['session-id'],
        body.prompt_cache_key,
      ]),
    ).toEqual(requests.map(() => ['/backend-api/codex/responses', 200, 'acc-1', sessionId, sessionId]));
    expect(requests).toHaveLength(exchanges.length + 1);
    expectGrowingPrefix(bodiesOf(house));
  });
});

test('the key goes to the gateway, and neither to the log nor to a tool', async () => {
  const look: Step = { calls: [{ name: 'shell', input: { command: 'env' } }] };
  await inHouse({ steps: [look], files }, async (house) => {
    const run = await house.zerd(['run', '--trust', '--mode', 'full', '--json', 'look around']);
    const { sessionId } = JSON.parse(run.stdout);
    const key = 'sim-key-that-must-not-leak';
    expect(house.gateway.requests.map(({ headers }) => headers.authorization ?? headers['x-api-key'])).toEqual([
      '[present]',
      '[present]',
    ]);
    expect(JSON.stringify(house.gateway.requests.map(({ body }) => body))).not.toContain(key);
    expect(JSON.stringify(await house.events(sessionId))).not.toContain(key);
  });
});

type Body = Readonly<Record<string, unknown>>;

/** The bodies, with the date of the day taken out. */
function bodiesOf(house: House): readonly Body[] {
  return house.gateway.requests.map(({ body }) =>
    JSON.parse(JSON.stringify(body).replace(/Date: \d{4}-\d\d-\d\d/, 'Date: today')),
  );
}

function firstText(house: House): string {
  const facts = [
    `Working folder: ${house.repository}`,
    'Date: today',
    'Platform: linux',
    'Git: branch main, nothing changed',
  ];
  return `${facts.join('\n')}\n\n${prompt}`;
}

/** The whole body of the request after `answered` exchanges. */
const expectedBody: Readonly<Record<HouseWire, (house: House, answered: number) => Body>> = {
  anthropic: (house, answered) => ({
    model: 'sim',
    max_tokens: 8000,
    stream: true,
    tools: expect.arrayContaining([expect.objectContaining({ name: 'read' })]),
    system: [{ type: 'text', text: expect.stringContaining('You are zerd'), cache_control: { type: 'ephemeral' } }],
    messages: withMarks([
      { role: 'user', content: [{ type: 'text', text: firstText(house) }] },
      ...exchanges.slice(0, answered).flatMap(anthropicMessages),
    ]),
  }),
  responses: (house, answered) => ({
    model: 'sim',
    stream: true,
    store: false,
    max_output_tokens: 8000,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: expect.stringMatching(/./),
    tools: expect.arrayContaining([expect.objectContaining({ type: 'function', name: 'read' })]),
    input: [
      inputMessage('developer', expect.stringContaining('You are zerd')),
      inputMessage('user', firstText(house)),
      ...exchanges.slice(0, answered).flatMap(responsesItems),
    ],
  }),
  chat: (house, answered) => ({
    model: 'sim',
    max_tokens: 8000,
    stream: true,
    stream_options: { include_usage: true },
    tools: expect.arrayContaining([expect.objectContaining({ type: 'function' })]),
    messages: [
      { role: 'system', content: expect.stringContaining('You are zerd') },
      { role: 'user', content: firstText(house) },
      ...exchanges.slice(0, answered).flatMap(chatMessages),
    ],
  }),
};

interface Message {
  readonly role: string;
  readonly content: readonly object[];
}

function anthropicMessages({ reasoning, text, calls }: Exchange): readonly Message[] {
  const thinking =
    reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: signatureOf(reasoning) }];
  const said = text === undefined ? [] : [{ type: 'text', text }];
  const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }));
  const results = calls.map(({ id, shown, failed }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: shown,
    ...(failed && { is_error: true }),
  }));
  return [
    { role: 'assistant', content: [...thinking, ...said, ...uses] },
    { role: 'user', content: results },
  ];
}

/** How the gateway signs reasoning: it must come back as it went out. */
function signatureOf(reasoning: string): string {
  return createHash('sha256').update(`zerd-simulator:${reasoning}`).digest('base64');
}

/** The cache marks stand on the last blocks of the last two user messages. */
function withMarks(messages: readonly Message[]): readonly Message[] {
  const marked = messages.flatMap(({ role }, i) => (role === 'user' ? [i] : [])).slice(-2);
  return messages.map((message, i) => {
    const last = message.content.at(-1);
    if (!marked.includes(i) || last === undefined) return message;
    return {
      ...message,
      content: [...message.content.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }],
    };
  });
}

function inputMessage(role: string, text: unknown): object {
  return { type: 'message', role, content: [{ type: 'input_text', text }] };
}

/** What the model said comes back as its items were, ids, phase and sealed reasoning included. */
function responsesItems({ reasoning, text, calls }: Exchange, n: number): readonly object[] {
  const thought =
    reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_sim_${n + 1}`,
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: sealOf(reasoning),
          },
        ];
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = {
    type: 'message',
    id: `msg_sim_${n + 1}`,
    status: 'completed',
    role: 'assistant',
    phase: 'commentary',
    content,
  };
  const uses = calls.map(({ id, name, input }, i) => ({
    type: 'function_call',
    id: `fc_sim_${n + 1}_${i + 1}`,
    status: 'completed',
    call_id: id,
    name,
    arguments: JSON.stringify(input),
  }));
  const outputs = calls.map(({ id, shown }) => ({ type: 'function_call_output', call_id: id, output: shown }));
  return [...thought, ...(text === undefined ? [] : [message]), ...uses, ...outputs];
}

/** How the gateway seals reasoning. */
function sealOf(reasoning: string): string {
  return `gAAAAAB${createHash('sha256').update(`zerd-simulator-seal:${reasoning}`).digest('base64url')}==`;
}

function chatMessages({ reasoning, text, calls }: Exchange): readonly object[] {
  const answer = {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    tool_calls: calls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
  return [answer, ...calls.map(({ id, shown }) => ({ role: 'tool', tool_call_id: id, content: shown }))];
}

/** I3: without the cache marks, everything that was sent is sent again, byte for byte, with more behind it. */
function expectGrowingPrefix(bodies: readonly Body[]): void {
  const sent = bodies.map(({ messages, input, ...fixed }) => ({
    fixed: JSON.stringify(fixed),
    messages: unmarked(messages ?? input),
  }));
  for (const [i, { fixed, messages }] of sent.entries()) {
    const before = sent[i - 1];
    if (before === undefined) continue;
    expect(fixed).toBe(before.fixed);
    expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(messages.length).toBeGreaterThan(before.messages.length);
  }
}

function unmarked(messages: unknown): readonly string[] {
  if (!Array.isArray(messages)) throw new Error('no messages');
  return messages.map((message) => JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
}

/** Waits until the program has printed so many lines. */
async function lines(running: Running, count: number): Promise<readonly string[]> {
  for (let polls = 0; polls < 500; polls += 1) {
    const complete = running.stdout().split('\n').slice(0, -1);
    if (complete.length >= count) return complete;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`only this was printed:\n${running.stdout()}`);
}

function jsonLines(text: string) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
