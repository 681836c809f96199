/** Makes parameters that show the use of a method: what is required, and what has an example of its own. */
export function exampleOf(schema, $defs) {
  const { type, $ref, enum: values, properties, required = [] } = schema;
  if ($ref !== undefined) return exampleOf($defs[$ref.slice($ref.lastIndexOf('/') + 1)], $defs);
  if (schema.examples !== undefined) return schema.examples[0];
  if (values !== undefined) return values[0];
  if (type === 'boolean') return true;
  if (type === 'integer') return 1;
  if (type !== 'object') return '...';
  const shown = Object.entries(properties ?? {}).filter(([key, value]) => required.includes(key) || value.examples);
  return Object.fromEntries(shown.map(([key, value]) => [key, exampleOf(value, $defs)]));
}

/** The line of a shell that calls the method so; undefined for the one that every client has sent already. */
export function exampleLine(method, { params }, $defs) {
  if (method === 'initialize') return undefined;
  const example = exampleOf(params, $defs);
  return `zerd rpc ${method}${Object.keys(example).length === 0 ? '' : ` '${JSON.stringify(example)}'`}`;
}
