/**
 * Says in words what a JSON Schema takes: one line a field with its type and meaning, the fields of objects indented
 * below. Named objects are told by their name, unless `expands` says that their fields are to be shown in place.
 */
const width = 98;

export function readable(schema, $defs, expands = () => false) {
  const rows = rowsOf(schema, { $defs, expands }, 0);
  if (rows.length === 0) return 'none';
  const column = Math.max(...rows.map(({ depth, name }) => 2 * depth + name.length)) + 2;
  return rows
    .map(({ depth, name, text }) => {
      const head = `${'  '.repeat(depth)}${name}`.padEnd(column);
      return `${head}${wrapped(text, width - column, column)}`.trimEnd();
    })
    .join('\n');
}

/** The type of a value in a few words; undefined for an object whose fields are to be shown. */
export function words(schema, context) {
  const { type, $ref, const: literal, enum: values } = schema;
  if ($ref !== undefined) return wordsOfNamed(nameOf($ref), context);
  if (literal !== undefined) return JSON.stringify(literal);
  if (values !== undefined) return values.join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((choice) => words(choice, context) ?? 'object').join(' or ');
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') return `list of ${several(words(schema.items, context) ?? 'object')}`;
  if (type === 'integer' || type === 'number') return `${type}${bounds(schema)}`;
  if (type === 'boolean') return 'true | false';
  if (type === 'object' && schema.properties === undefined) {
    const value = words(schema.additionalProperties ?? {}, context);
    return value === undefined ? 'object' : `object with a ${value} for each name`;
  }
  return type === 'object' ? undefined : (sample(schema) ?? type);
}

function rowsOf(schema, context, depth) {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, value]) => {
    const text = [words(value, context), meaning(value, context)].filter((part) => part !== undefined).join('. ');
    const name = required.includes(key) ? key : `${key}?`;
    return [{ depth, name, text }, ...rowsOf(inner(value, context), context, depth + 1)];
  });
}

/** The schema whose fields stand below a field; empty when it has none to show. */
function inner(schema, context) {
  if (schema.type === 'array') return inner(schema.items, context);
  if (schema.$ref === undefined) return schema;
  const name = nameOf(schema.$ref);
  return context.expands(name) ? context.$defs[name] : {};
}

function wordsOfNamed(name, context) {
  const definition = context.$defs[name];
  if (isScalar(definition))
    return definition.enum === undefined ? (sample(definition) ?? definition.type) : words(definition, context);
  return context.expands(name) && definition.properties !== undefined ? undefined : name;
}

export function isScalar({ type }) {
  return type === 'string';
}

function several(name) {
  return ['object', 'string', 'integer'].includes(name) ? `${name}s` : name;
}

/** An identifier is best told by how it begins. */
function sample({ examples }) {
  return examples?.find((example) => example.endsWith('...'));
}

function meaning(schema, { $defs }) {
  const named = schema.$ref === undefined ? undefined : $defs[nameOf(schema.$ref)];
  const text = schema.description ?? (named !== undefined && isScalar(named) ? named.description : undefined);
  return text?.trim();
}

function bounds({ type, minimum, exclusiveMinimum, maximum }) {
  if (type === 'number' && exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : `, to ${maximum}`}`;
  const from = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  return `${from === undefined ? '' : ` from ${from}`}${maximum === undefined ? '' : ` to ${maximum}`}`;
}

function nameOf(ref) {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Breaks between words; later lines stand below the first. */
function wrapped(text, most, indent) {
  const lines = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
