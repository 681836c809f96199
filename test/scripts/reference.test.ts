/** What is generated from the method table says what the table says, and can be used by programs that know only the standard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { errorTable } from '@zerd/protocol/common/errors';
import { sessionEventSchema } from '@zerd/protocol/common/event';
import { methods } from '@zerd/protocol/common/methods';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/protocol.md');

const descriptor = z.object({ name: z.string(), required: z.boolean().optional(), schema: z.object({}).loose() });
const openRpc = z
  .object({
    methods: z.array(
      z.object({
        name: z.string(),
        summary: z.string(),
        params: z.array(descriptor),
        result: descriptor.optional(),
        examples: z.array(z.object({ params: z.array(z.object({ name: z.string(), value: z.unknown() })) })).optional(),
      }),
    ),
    components: z.object({
      schemas: z.record(z.string(), z.object({}).loose()),
      errors: z.record(z.string(), z.object({ code: z.int(), message: z.string() })),
    }),
  })
  .parse(JSON.parse(read('protocol/schema/openrpc.json')));

test('the OpenRPC document has the methods of the table, with their sentences and parameters', () => {
  const rows = Object.entries(methods).map(([name, row]) => ({
    name,
    says: row.says,
    params: Object.keys(row.params.shape),
    answered: row.direction === 'toDaemon',
  }));
  const documented = openRpc.methods.map(({ name, summary, params, result }) => ({
    name,
    says: summary,
    params: params.map((param) => param.name),
    answered: result !== undefined,
  }));
  expect(documented).toEqual(rows);
});

test('every reference of the OpenRPC document leads to a schema or an error of it', () => {
  const refs = [...JSON.stringify(openRpc).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
  expect(refs.length).toBeGreaterThan(50);
  const names = { schemas: Object.keys(openRpc.components.schemas), errors: Object.keys(openRpc.components.errors) };
  const lost = refs.filter(([, kind, name]) => !names[kind as keyof typeof names]?.includes(name ?? ''));
  expect(lost.map(([ref]) => ref)).toEqual([]);
  expect(JSON.stringify(openRpc)).not.toContain('$defs');
});

test('every example of the OpenRPC document is what its method takes', () => {
  const checked = openRpc.methods.flatMap(({ name, examples = [] }) =>
    examples.map(({ params }) => {
      const values = Object.fromEntries(params.map((param) => [param.name, param.value]));
      return [name, methods[name as keyof typeof methods].params.safeParse(values).error?.message];
    }),
  );
  expect(checked.length).toBeGreaterThan(8);
  expect(checked.filter(([, complaint]) => complaint !== undefined)).toEqual([]);
});

test('the page has every method, event and error', () => {
  for (const [name, { says }] of Object.entries(methods)) {
    expect(page).toContain(`### ${name}\n\n${says}`);
  }
  for (const { shape } of sessionEventSchema.options) expect(page).toContain(`### ${shape.kind.value}\n\n`);
  for (const [name, { number, meaning, retryable, todo }] of Object.entries(errorTable))
    expect(page).toContain(`| ${number} | \`${name}\` | ${meaning} | ${retryable ? 'yes' : 'no'} | ${todo} |`);
});

test('the page says of a field whether it may be absent, its type, its bounds and its meaning', () => {
  expect(page).toContain(`Parameters:

\`\`\`text
sessionId     ses_...
text          string
images?       list of objects. Images that go with the text; those of the workspace that it names
              as @path come by themselves.
  name        string. By which it is named to the model and to people.
  data        string. Its bytes as base64: PNG, JPEG, GIF or WebP.
maxRequests?  integer from 1. Requests that the turn may make; absent: no limit.
maxCostUsd?   number above 0, to 1000000. Dollars that the session may spend in all, with its
              sub-agents; absent: the limit before it stands.
`);
  expect(page).toContain('contextWindow  integer or null');
  expect(page).toContain('models    list of Model');
});

test('the first message that the page shows is framed as it says', () => {
  const [, bytes, body = ''] = /Content-Length: (\d+)\n\n(\{.*\})\n/.exec(page) ?? [];
  expect(Buffer.byteLength(body)).toBe(Number(bytes));
  const { method, params } = JSON.parse(body) as { method: string; params: unknown };
  expect(method).toBe('initialize');
  expect(methods.initialize.params.safeParse(params).success).toBe(true);
});
