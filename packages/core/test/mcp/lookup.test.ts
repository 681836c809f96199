import { expect, test } from '@jest/globals';
import { findTools, foundText, instructionsOf, nearestTools } from '@zerd/core/mcp/lookup';
import { utf8Length } from '@zerd/core/text/utf8';
import { forge } from '../../../../test/support/outside/forge.ts';
import { browser, database, notebook } from '../../../../test/support/outside/notes-and-browser.ts';

const all = [notebook, browser, database, forge];

function check(words: string, expected: readonly string[]): void {
  expect(
    findTools(all, words)
      .slice(0, expected.length)
      .map(({ server, tool }) => `${server}/${tool.name}`),
  ).toEqual(expected);
}

test('words find the tools that fit them best, in name before description, whatever their order', () => {
  check('create issue', ['forge/create_issue']);
  check('issues list', ['forge/list_issues']);
  check('screenshot of the page', ['browser/screenshot']);
  check('move note', ['notebook/move_note']);
  check('an sql query', ['database/query']);
});

test('a name finds just that, the name of a server all that it has', () => {
  expect(findTools(all, 'forge/create_issue')).toHaveLength(1);
  expect(findTools(all, ' Query ')).toHaveLength(1);
  expect(findTools(all, 'database')).toHaveLength(18);
  expect(findTools(all, 'zzz')).toEqual([]);
  expect(findTools([...all, { name: 'later', state: { kind: 'unknown' } }], 'later')).toEqual([]);
});

test('what a server says of itself is told where it is asked for by name, bounded, and nowhere else', () => {
  const wordy = {
    name: 'Shop',
    state: { kind: 'ready' as const, tools: [], instructions: `Ask\nfirst. ${'x'.repeat(5_000)}` },
  };
  expect(instructionsOf([...all, wordy], ' shop ')).toMatch(/^Shop says: Ask first\. x+…$/);
  expect(instructionsOf([...all, wordy], 'shop').length).toBeLessThan(1_050);
  for (const words of ['database', 'ask first', '', 'shop make'])
    expect(instructionsOf([...all, wordy], words)).toBe('');
});

test('one tool is told with description and schema', () => {
  expect(foundText(findTools(all, 'notebook/move_note'), 4_000)).toBe(
    [
      'notebook/move_note',
      'Moves a note to another notebook and keeps its id.',
      '{"type":"object","properties":{"noteId":{"type":"string","description":"The id of the note"},"notebook":{"type":"string","description":"The notebook that it goes to"}},"required":["noteId","notebook"],"additionalProperties":false}',
    ].join('\n'),
  );
});

test('many tools stay within their bytes: the first ones whole, then signatures, then how many are left', () => {
  for (const bytes of [1_000, 4_000]) {
    const text = foundText(findTools(all, 'forge'), bytes);
    expect(utf8Length(text)).toBeLessThanOrEqual(bytes);
    expect(text).toMatch(
      /^forge\/list_issues\n.*\n{.*}\n(?:.|\n)*forge\/\w+\(owner, repo.*\)\nand \d+ more: use more words, or server\/name$/,
    );
  }
});

test('the names near to one that does not exist are those that share its words', () => {
  expect(nearestTools(all, 'forge/new_issue').slice(0, 2)).toEqual(['forge/transfer_issue', 'forge/get_issue']);
  expect(nearestTools(all, 'github/create_issue')).toEqual(['forge/create_issue']);
});
