/** `zerd notes`: what a session keeps in mind, to read and to change. */
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ParamsOf, ResultOf } from '@zerd/protocol/common/methods';
import { type KeptNotes, noteSections, notesMarkdown, parseNotesMarkdown } from '@zerd/protocol/common/notes-markdown';
import { safeJson, sanitise } from '@zerd/protocol/common/sanitise';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { editText } from '../session/edit-text.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';

export const notesCommand = defineCommand({
  name: 'notes',
  usage: 'notes [session]',
  says: 'Shows what a session keeps in mind: its goal, decisions, what is done, what is next, and its list of steps',
  positionals: { session: { type: 'string', describe: 'A session (ses_...); default: the newest' } },
  options: ['edit', 'json'],
  examples: [
    ['zerd notes', 'Those of the newest session'],
    ['zerd notes ses_... --edit', 'In $VISUAL or $EDITOR; the model is told before its next request'],
    ['zerd notes --json | jq -r .todo', 'The list of steps'],
  ],
  complaint: ({ session, edit, json }) => (edit && json ? 'Use one of --edit and --json.' : sessionComplaint(session)),
  async perform({ session, edit, json }, context) {
    const { sessionId, ...read } = await readNotes(session, context);
    if (edit === true) await editNotes(sessionId, read, context);
    else context.terminal.out(json === true ? `${safeJson({ sessionId, ...read })}\n` : notesText(sessionId, read));
    return exitCode.done;
  },
});

type Read = ResultOf<'notes/read'>;

async function readNotes(session: string | undefined, { connect }: Context): Promise<Read & { sessionId: SessionId }> {
  const client = await connect('daemon');
  try {
    const { sessionId } = await pickSession(client, session);
    return { sessionId, ...(await client.request('notes/read', { sessionId })) };
  } finally {
    client.close();
  }
}

export function notesText(sessionId: string, kept: KeptNotes): string {
  const text = notesMarkdown(kept, 'filled');
  return text === '\n' ? `${sessionId} keeps nothing in mind yet. Write some: zerd notes --edit\n` : sanitise(text);
}

async function editNotes(sessionId: SessionId, before: KeptNotes, context: Context): Promise<void> {
  const edited = await editText(context.terminal, `${sessionId}.md`, notesMarkdown(before));
  const change = changeOf(before, parseNotesMarkdown(edited.text));
  const changed = [...Object.keys(change.notes ?? {}), ...(change.todo === undefined ? [] : ['todo'])];
  if (changed.length > 0) await writeNotes({ sessionId, ...change }, edited.file, context);
  await edited.discard();
  context.terminal.err(changed.length === 0 ? 'Nothing was changed.\n' : `Changed: ${changed.join(', ')}.\n`);
}

type Change = Pick<ParamsOf<'notes/write'>, 'notes' | 'todo'>;

/** Only what the user changed: the model may have gone on with the rest meanwhile. */
function changeOf(before: KeptNotes, after: KeptNotes): Change {
  const sections = noteSections.filter((name) => (before.notes[name] ?? '') !== (after.notes[name] ?? ''));
  const notes = Object.fromEntries(sections.map((name) => [name, after.notes[name] ?? '']));
  return {
    ...(sections.length === 0 ? {} : { notes }),
    ...(before.todo === after.todo ? {} : { todo: after.todo }),
  };
}

async function writeNotes(params: ParamsOf<'notes/write'>, file: string, { connect }: Context): Promise<void> {
  try {
    // Anew: an editor may stay open for long.
    const client = await connect('daemon');
    await client.request('notes/write', params).finally(() => client.close());
  } catch (error) {
    if (isZerdError(error)) throw new ZerdError(error.code, `${error.message} Your text is kept in ${file}.`);
    throw error;
  }
}
