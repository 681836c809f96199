/** The commands that read and write files of the person's own: the notes in an editor, the session as a file. */
import { writeFile } from 'node:fs/promises';
import { sanitise } from '@zerd/protocol/common/sanitise';
import { renderMarkdown } from '../markdown/render.ts';
import { type Desk, sessionOf } from './desk.ts';

export async function showNotes(desk: Desk, rest: string): Promise<void> {
  const sessionId = sessionOf(desk);
  const { notes } = await desk.feed.request('notes/read', { sessionId });
  const text = Object.entries(notes)
    .map(([section, words]) => `# ${section}\n\n${words}\n`)
    .join('\n');
  if (rest !== 'edit')
    return desk.page(
      'Notes (/notes edit changes them)',
      renderMarkdown(sanitise(text === '' ? 'No notes yet.' : text), desk.columns),
    );
  const template = ['goal', 'decisions', 'done', 'next'].map(
    (section) => `# ${section}\n\n${notes[section as keyof typeof notes] ?? ''}\n`,
  );
  const edited = await desk.edit(template.join('\n'));
  if (edited === undefined) return desk.say('dim', 'The notes stay as they are.');
  const sections = edited.split(/^# (goal|decisions|done|next)\s*$/m).slice(1);
  const pairs = sections.flatMap((name, index) =>
    index % 2 === 0 ? [[name, (sections[index + 1] ?? '').trim()] as const] : [],
  );
  await desk.feed.request('notes/write', {
    sessionId,
    notes: Object.fromEntries(pairs.filter(([, words]) => words !== '')),
  });
}

export async function exportSession(desk: Desk, rest: string): Promise<void> {
  const sessionId = sessionOf(desk);
  const file = rest === '' ? `${sessionId}.md` : rest;
  const format = file.endsWith('.json') || file.endsWith('.jsonl') ? 'json' : 'md';
  const pages: string[] = [];
  for (let after: number | undefined; ; ) {
    const page = await desk.feed.request('session/export', {
      sessionId,
      format,
      ...(after === undefined ? {} : { after }),
    });
    pages.push(page.text);
    if (page.next === undefined) break;
    after = page.next;
  }
  // Never over a file that is there.
  await writeFile(file, pages.join(''), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${file} is there already, and nothing was written. Name another: /export FILE.md`);
  });
  desk.say('good', `Written: ${file}`);
}
