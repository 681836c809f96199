/**
 * Writes the table as an OpenRPC document (spec.open-rpc.org, 1.3.2 as of 2026-11) and refuses one that is not sound:
 * its shape is checked, and every reference leads somewhere. What the daemon sends has no result and `x-direction`.
 */
import { z } from 'zod';
import { exampleOf } from './example.mjs';

export function openRpcOf({ methods, $defs }, errors, version) {
  const document = {
    openrpc: '1.3.2',
    info: {
      title: 'zerd',
      version: String(version),
      description:
        'The protocol between zerdd and its clients: JSON-RPC 2.0 with Content-Length frames over a unix socket. Generated from the method table: do not edit.',
      license: { name: 'MIT' },
    },
    methods: Object.entries(methods).map(([name, row]) => methodOf(name, row, $defs)),
    components: { schemas: pointed($defs), errors: errorsOf(errors) },
  };
  openRpcSchema.parse(document);
  const lost = danglingReferences(document);
  if (lost.length > 0) throw new Error(`references of the OpenRPC document that lead nowhere: ${lost.join(', ')}`);
  return document;
}

function methodOf(name, { direction, scope, says, params, result }, $defs) {
  return {
    name,
    summary: says,
    paramStructure: 'by-name',
    params: Object.entries(params.properties ?? {}).map(([key, schema]) => ({
      name: key,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      required: (params.required ?? []).includes(key),
      schema: pointed(schema),
    })),
    ...(result === undefined ? {} : answered(params, result, $defs)),
    'x-direction': direction,
    'x-scope': scope,
  };
}

function answered(params, result, $defs) {
  const values = Object.entries(exampleOf(params, $defs)).map(([name, value]) => ({ name, value }));
  return {
    result: { name: 'result', schema: pointed(result) },
    errors: [{ $ref: '#/components/errors/invalid_params' }, { $ref: '#/components/errors/internal_error' }],
    ...(values.length === 0 ? {} : { examples: [{ name: 'call', params: values }] }),
  };
}

/** OpenRPC keeps shared schemas in its components. */
function pointed(value) {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function errorsOf(table) {
  return Object.fromEntries(
    Object.entries(table).map(([name, { number, meaning, retryable, todo }]) => [
      name,
      { code: number, message: meaning, data: { code: name }, 'x-retryable': retryable, 'x-todo': todo },
    ]),
  );
}

function danglingReferences(document) {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path);
  const leads = (path) => path.split('/').reduce((at, key) => at?.[key], document) !== undefined;
  return [...new Set(refs)].filter((path) => !leads(path));
}

const schema = z.record(z.string(), z.unknown());
const reference = z.strictObject({ $ref: z.string().startsWith('#/components/') });
const describer = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  required: z.boolean().optional(),
  schema,
});
const error = z.strictObject({
  code: z.int(),
  message: z.string(),
  data: z.object({ code: z.string() }),
  'x-retryable': z.boolean(),
  'x-todo': z.string(),
});
const example = z.strictObject({
  name: z.string(),
  params: z.array(z.strictObject({ name: z.string(), value: z.unknown() })),
});
const method = z.strictObject({
  name: z.string().regex(/^[a-z]+(\/[a-zA-Z]+)?$/),
  summary: z.string().min(1),
  paramStructure: z.literal('by-name'),
  params: z.array(describer),
  result: describer.optional(),
  errors: z.array(reference).optional(),
  examples: z.array(example).optional(),
  'x-direction': z.enum(['toDaemon', 'toClient']),
  'x-scope': z.enum(['none', 'session', 'daemon']),
});

/** Of OpenRPC what is used here, and nothing that it does not know but extensions. */
const openRpcSchema = z.strictObject({
  openrpc: z.literal('1.3.2'),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string() }),
  }),
  methods: z.array(method).refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'a name twice'),
  components: z.strictObject({ schemas: z.record(z.string(), schema), errors: z.record(z.string(), error) }),
});
