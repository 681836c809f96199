import { expect, test } from '@jest/globals';
import { type OutsideCall, prepareOutsideCall } from '@zerd/core/mcp/prepare-call';
import type { McpServer } from '@zerd/core/mcp/server';
import { utf8Length } from '@zerd/core/text/utf8';
import type { JsonObject } from '@zerd/protocol/common/json';
import { notebook } from '../../../../test/support/outside/notes-and-browser.ts';

const servers: readonly McpServer[] = [
  notebook,
  { name: 'later', state: { kind: 'unknown' } },
  { name: 'broken', state: { kind: 'failed', why: 'gone' } },
  { name: 'repo', state: { kind: 'unapproved' } },
];

function check(asked: string, input: JsonObject, expected: OutsideCall): void {
  expect(prepareOutsideCall(servers, asked, input)).toEqual(expected);
}

const refused = (text: string): OutsideCall => ({ kind: 'refuse', text: `Not called: ${text}` });

test('a call that fits goes to its server; one of which nothing is known, or that failed, judges itself', () => {
  check('notebook/read_note', { noteId: 'n1' }, { kind: 'call', server: 'notebook', tool: 'read_note' });
  check('later/any', {}, { kind: 'call', server: 'later', tool: 'any' });
  check('broken/a/b', { x: 1 }, { kind: 'call', server: 'broken', tool: 'a/b' });
});

test('arguments that do not fit are refused with what is wrong and the schema of that tool', () => {
  check(
    'notebook/append_to_note',
    { noteId: 7, text: 'x' },
    refused(
      'the arguments of notebook/append_to_note do not fit: noteId: Invalid input: expected string, received number; body: Invalid input: expected string, received undefined; Unrecognized key: "text". Its schema: {"type":"object","properties":{"noteId":{"type":"string","description":"The id of the note"},"body":{"type":"string","description":"What to append"}},"required":["noteId","body"],"additionalProperties":false}',
    ),
  );
});

test('a tool or server that is not there is answered with what is near and what there is', () => {
  check('notebook/move', {}, refused('notebook has no tool "move". Near it: notebook/move_note.'));
  check('notebook/zzz', {}, refused('notebook has no tool "zzz". `find` looks tools up by words.'));
  check('move_note', {}, refused('"move_note" is no tool: it is named server/tool. Near it: notebook/move_note.'));
  check(
    'notes/move_note',
    {},
    refused(
      'there is no server "notes". Servers: notebook, later (unknown), broken (failed), repo (unapproved). Near it: notebook/move_note.',
    ),
  );
});

test('I7: what the user has not approved is not called, and who can change that is said', () => {
  check('repo/any', {}, refused('the user has not approved the server repo. Ask for it: `zerd mcp approve repo`.'));
});

test('I4: a refusal is bounded, however large the schema and the names are', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`parameter_${i}`, { type: 'string', description: 'x'.repeat(200) }]),
  );
  const tool = {
    name: 'huge',
    description: '',
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  };
  const huge = prepareOutsideCall(
    [{ name: 's', state: { kind: 'ready', tools: [tool], instructions: '' } }],
    's/huge',
    {},
  );
  const text = huge.kind === 'refuse' ? huge.text : '';
  expect(text).toContain('[the schema is longer]');
  expect(utf8Length(text)).toBeLessThan(4_000);
});
