/** The commands that begin with a slash: their words, and what each does. */
import { plainNumber } from '@zerd/protocol/common/plain-number';
import type { Command } from '../input/complete.ts';
import { deleteSession, selectMode, selectModel, trust } from './choices.ts';
import { copy } from './copy.ts';
import { type Desk, sessionOf } from './desk.ts';
import { chooseSession, resume, showQueue } from './going-on.ts';
import { grants } from './grants.ts';
import { helpHang, helpLines } from './help.ts';
import { showJobs } from './job-list.ts';
import { search, showContext, showCost, showDiff, showTodo } from './pages.ts';
import { exportSession, showNotes } from './papers.ts';
import { rewind } from './rewind.ts';
import { showServers } from './server-list.ts';

export interface CommandRow extends Command {
  run(desk: Desk, rest: string): Promise<void> | void;
}

export const commandRows: readonly CommandRow[] = [
  {
    name: 'help',
    takes: '',
    says: 'The commands and keys',
    run: showHelp,
  },
  { name: 'cost', takes: '', says: 'What this session cost, what was paid twice and why', run: showCost },
  { name: 'context', takes: '', says: 'What fills the window', run: showContext },
  { name: 'jobs', takes: '', says: 'Commands that run in the background', run: showJobs },
  { name: 'mcp', takes: '', says: 'Outside tools: the MCP servers, and how each is', run: showServers },
  { name: 'compact', takes: '', says: 'Sum up the older part of the conversation', run: compact },
  { name: 'model', takes: '[provider/model]', says: 'Let another model answer', run: selectModel },
  { name: 'mode', takes: '[read-only|ask|edit|full]', says: 'What may be done without asking', run: selectMode },
  { name: 'sessions', takes: '', says: 'The sessions, with what each is doing; Enter goes there', run: chooseSession },
  { name: 'resume', takes: '[session or words]', says: 'Go on in an earlier session', run: resume },
  { name: 'new', takes: '', says: 'Begin a new session', run: (desk) => desk.open(undefined) },
  {
    name: 'fork',
    takes: '[event]',
    says: 'Go on from here, or from an earlier event, in a session of its own',
    run: fork,
  },
  {
    name: 'rewind',
    takes: '[messages]',
    says: 'Take back a message with what was done for it: files, and the conversation',
    run: rewind,
  },
  { name: 'queue', takes: '', says: 'Prompts that wait: go on with them, or take one back', run: showQueue },
  { name: 'diff', takes: '', says: 'The changes made in this session', run: showDiff },
  { name: 'copy', takes: '[code]', says: 'Copy the last answer, or the last code in one', run: copy },
  { name: 'search', takes: '<pattern>', says: 'Search the files of the repository', run: search },
  { name: 'notes', takes: '[edit]', says: 'What is kept in mind for the whole of the work', run: showNotes },
  { name: 'todo', takes: '', says: 'The list of steps', run: showTodo },
  { name: 'export', takes: '[FILE.md|FILE.json]', says: 'Write the session to a file', run: exportSession },
  { name: 'trust', takes: '', says: 'Let the files of this repository be read and its commands run', run: trust },
  {
    name: 'grants',
    takes: '[command]',
    says: 'Commands that run without asking; allow one, or take one back',
    run: grants,
  },
  { name: 'delete', takes: '', says: 'Remove this session for good', run: deleteSession },
  { name: 'quit', takes: '', says: 'Leave; what runs goes on', run: (desk) => desk.quit() },
];

function showHelp(desk: Desk): void {
  desk.page('Help', helpLines(commandRows), { hang: helpHang });
}

/** Words of other agents for the same. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['clear', 'new'],
  ['exit', 'quit'],
  ['usage', 'cost'],
  ['undo', 'rewind'],
  ['permissions', 'grants'],
]);

export function commandNamed(name: string): CommandRow | undefined {
  const meant = otherWords.get(name) ?? name;
  return commandRows.find((one) => one.name === meant);
}

/** What is no command is not sent to the model by mistake. */
export function noCommand(name: string): Error {
  return new Error(
    `There is no command and no skill /${name}: /help lists them. With two slashes, //${name} is said to the model.`,
  );
}

async function compact(desk: Desk): Promise<void> {
  await desk.feed.request('session/compact', { sessionId: sessionOf(desk) });
}

async function fork(desk: Desk, rest: string): Promise<void> {
  const event = plainNumber(rest);
  if (rest !== '' && !(Number.isSafeInteger(event) && event > 0))
    return desk.say('bad', `'${rest}' is no event: they are numbered from 1.`);
  const atSeq = rest === '' ? {} : { atSeq: event };
  const { sessionId } = await desk.feed.request('session/fork', { sessionId: sessionOf(desk), ...atSeq });
  await desk.open(sessionId);
}
