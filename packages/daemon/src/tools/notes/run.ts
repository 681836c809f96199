/** Keeps facts of the session. Invariant: what does not fit is refused whole, and what was kept before stands. */
import { utf8Length } from '@zerd/core/text/utf8';
import { noteSections } from '@zerd/protocol/common/notes-markdown';
import type { Notes } from '@zerd/protocol/common/work-events';
import type { ToolRun } from '../../base/ports.ts';
import { failed, keptOrFailed } from '../../base/tool-answer.ts';

export const run: ToolRun<'notes'> = async (input, { memory }) => {
  if (memory === undefined) return failed('Notes cannot be kept here.');
  const given = noteSections.filter((name) => input[name] !== undefined);
  if (given.length === 0) return failed(`Nothing was given. Give one of: ${noteSections.join(', ')}.`);
  const notes: Notes = Object.fromEntries(given.map((name) => [name, input[name]]));
  return keptOrFailed(async () => {
    await memory.keep({ notes });
    return answer(memory.read().notes);
  });
};

/** What there is now, so that a section that was forgotten shows. */
function answer(notes: Notes): string {
  const filled = noteSections.filter((name) => notes[name] !== undefined);
  if (filled.length === 0) return 'The notes are empty now.';
  const bytes = filled.reduce((sum, name) => sum + utf8Length(notes[name] ?? ''), 0);
  return `Kept: ${filled.join(', ')} (${bytes} bytes).`;
}
