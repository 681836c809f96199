/**
 * Writes the table for reading: `reference.json`, from which `zerd rpc --help` prints, and the page docs/protocol.md.
 * Invariant: every method and every event has its sentence.
 */
import { exampleLine } from './example.mjs';
import { isScalar, readable, words } from './readable.mjs';

/** By method, in the order of the table; what the daemon sends by itself has no result and no example. */
export function referenceOf({ methods, $defs }) {
  // An event is too large to be shown in place.
  const expands = (name) => name !== 'SessionEvent';
  return Object.fromEntries(
    Object.entries(methods).map(([name, row]) => [
      name,
      {
        direction: row.direction,
        says: row.says,
        params: readable(row.params, $defs, expands),
        ...(row.result === undefined
          ? {}
          : { result: readable(row.result, $defs, expands), example: exampleLine(name, row, $defs) }),
      },
    ]),
  );
}

export function pageOf({ methods, $defs }, errors, range) {
  const rows = Object.entries(methods);
  const requests = rows.filter(([, { direction }]) => direction === 'toDaemon');
  const notices = rows.filter(([, { direction }]) => direction === 'toClient');
  return [
    intro(range),
    '## Methods',
    requests.map(([name, { says }]) => `- [${name}](#${anchor(name)}): ${says}`).join('\n'),
    ...requests.map(([name, row]) => requestText(name, row, $defs)),
    '## Notices',
    'The daemon sends these by itself, to clients that subscribed. They have no answer.',
    ...notices.map(([name, { says, params }]) => `### ${name}\n\n${says}\n\n${block(readable(params, $defs))}`),
    '## Events',
    'What happens in a session, in the order in which it was committed. A kind is never removed or given another meaning; new kinds and new fields may come.',
    ...$defs.SessionEvent.oneOf.map((event) => eventText(event, $defs)),
    '## Errors',
    'An error carries its number as `code`, what happened as `message`, and its name as `data.code`. Where a retry can help, the same request may succeed later.',
    errorRows(errors),
    '## Types',
    ...typesText($defs),
  ]
    .join('\n\n')
    .concat('\n');
}

function intro({ min, max }) {
  const versions = min === max ? `version ${max}` : `versions ${min} to ${max}`;
  return `# The protocol

Generated from the method table by scripts/generate.mjs: do not edit. Machines read \`protocol/schema/openrpc.json\`
(OpenRPC), \`protocol/schema/methods.json\` (JSON Schema) or \`protocol/schema/types.d.ts\`. \`zerd rpc --list\` and
\`zerd rpc METHOD --help\` print this page in parts.

JSON-RPC 2.0, ${versions}, with \`Content-Length\` frames over the unix socket that \`zerdd.json\` in
\`$XDG_RUNTIME_DIR/zerd/<hash>/\` names as \`endpoint\`. The first request is [initialize](#initialize):

\`\`\`text
Content-Length: 129

{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":{"min":1,"max":1},"client":{"name":"mine","version":"1.0.0"}}}
\`\`\`

Parameters go by name; unknown ones are refused. Results may gain fields. Requests with the same scope run one after the
other: those of a session, or all that concern the daemon; the rest run at once.

A field with \`?\` may be absent. Times are integer milliseconds of the epoch and end in \`At\`. Money is integer
pico-dollars: 1 USD is 1,000,000,000,000.`;
}

function requestText(name, row, $defs) {
  const example = exampleLine(name, row, $defs);
  const parts = [
    `### ${name}`,
    `${row.says}${scopes[row.scope]}`,
    `Parameters:\n\n${block(readable(row.params, $defs))}`,
    `Result:\n\n${block(readable(row.result, $defs))}`,
    ...(example === undefined ? [] : [`\`\`\`sh\n${example}\n\`\`\``]),
  ];
  return parts.join('\n\n');
}

const scopes = { none: '', session: ' Scope: the session.', daemon: ' Scope: the daemon.' };

function eventText(event, $defs) {
  const { kind, ...fields } = event.properties;
  if (event.description === undefined) throw new Error(`the event ${kind.const} has no sentence: describe it`);
  const schema = { ...event, properties: fields };
  return `### ${kind.const}\n\n${event.description}\n\n${block(readable(schema, $defs))}`;
}

function errorRows(errors) {
  const rows = Object.entries(errors).map(
    ([name, { number, meaning, retryable, todo }]) =>
      `| ${number} | \`${name}\` | ${meaning} | ${retryable ? 'yes' : 'no'} | ${todo} |`,
  );
  return [
    '| number | name | meaning | retry | what to do |',
    '| -----: | ---- | ------- | ----- | ---------- |',
    ...rows,
  ].join('\n');
}

/** The named types that are more than a line, and the scalars in one list. */
function typesText($defs) {
  const named = Object.entries($defs).filter(([name]) => name !== 'SessionEvent');
  const large = named.filter(([, definition]) => !isScalar(definition));
  return large.map(([name, definition]) => {
    const says = definition.description === undefined ? [] : [definition.description];
    const choices = definition.oneOf ?? definition.anyOf;
    const fields =
      choices === undefined ? [block(readable(definition, $defs))] : choices.map((choice) => choiceText(choice, $defs));
    return [`### ${name}`, ...says, ...fields].join('\n\n');
  });
}

function choiceText(choice, $defs) {
  const { kind, ...fields } = choice.properties;
  return `\`${words(kind, { $defs })}\` ${choice.description ?? ''}\n\n${block(readable({ ...choice, properties: fields }, $defs))}`;
}

function block(text) {
  return `\`\`\`text\n${text}\n\`\`\``;
}

/** As GitHub makes them of a heading. */
function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
