import { expect, test } from '@jest/globals';
import { type KeptNotes, notesMarkdown, parseNotesMarkdown, tidied } from '@zerd/protocol/common/notes-markdown';
import fc from 'fast-check';

const kept: KeptNotes = {
  notes: { goal: 'Make it fast.', next: '- measure\n- cut' },
  todo: '[x] look\n[>] measure',
};

test('each section stands under its heading, empty ones too', () => {
  expect(notesMarkdown(kept)).toBe(
    '## Goal\n\nMake it fast.\n\n## Decisions\n\n## Done\n\n## Next\n\n- measure\n- cut\n\n## Todo\n\n[x] look\n[>] measure\n',
  );
  expect(notesMarkdown(kept, 'filled')).toBe(
    '## Goal\n\nMake it fast.\n\n## Next\n\n- measure\n- cut\n\n## Todo\n\n[x] look\n[>] measure\n',
  );
});

function check(text: string, expected: KeptNotes) {
  expect(parseNotesMarkdown(text)).toEqual(expected);
}

test('what people make of it is read, and nothing of it is lost', () => {
  check('', { notes: {}, todo: '' });
  check('\uFEFF## goal\r\nA\r\n\r\nB\r\n', { notes: { goal: 'A\n\nB' }, todo: '' });
  check('In front.\n## Next\nn\n### deeper\n## Other\no\n', {
    notes: { goal: 'In front.', next: 'n\n### deeper\n## Other\no' },
    todo: '',
  });
  check('## Done\none\n## Todo\n[ ] a\n## Done\ntwo\n', { notes: { done: 'one\n\ntwo' }, todo: '[ ] a' });
});

test('a line of a note that looks like a heading stays a line of it', () => {
  const notes = { goal: 'a\n## Next\n\\## Todo\n##Next\n## Elsewhere', next: '## Goal' };
  check(notesMarkdown({ notes, todo: '## Done' }), { notes, todo: '## Done' });
});

const words = fc.constantFrom('\n', '\r', '## Goal', '## ', '\\', 'Todo', ' ', '\u2028', '\uFEFF', 'x', '[ ] a');
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map((parts) => parts.join('')),
  )
  .map(tidied);

test('what was written is read back as it was, whatever it holds', () => {
  const sections = fc.record({ goal: text, decisions: text, done: text, next: text });
  fc.assert(
    fc.property(sections, text, (given, todo) => {
      const notes = Object.fromEntries(Object.entries(given).filter(([, section]) => section !== ''));
      check(notesMarkdown({ notes, todo }), { notes, todo });
      check(notesMarkdown({ notes, todo }, 'filled'), { notes, todo });
    }),
  );
});
