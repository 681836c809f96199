/**
 * Decides what of a session the machine keeps word for word when its transcript is replaced by a summary: a model that
 * sums up forgets exact commands, places and names. Invariants: the same log gives the same text; the text stays within
 * its bytes, whatever the session holds; no cut falls inside a character.
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { memoryOf, notesText } from '../../memory/tell-memory.ts';
import { skillListName } from '../../skills/skill.ts';
import { clipUtf8, utf8Length, wellFormed } from '../../text/utf8.ts';
import { shortId } from '../cleared.ts';
import { withFolder } from '../remind/folder-moved.ts';
import { fenced, headAndTail } from './clip.ts';
import { tellCommands } from './commands.ts';
import { tellErrors } from './errors.ts';
import { tellFiles } from './files.ts';
import { tellPointedTo } from './pointed-to.ts';
import { tellRunningJobs } from './running-jobs.ts';
import { labelOf, type Story, tellStory, textField } from './story.ts';
import { tellMessages } from './user-messages.ts';

export interface FactsWish {
  /** Everything up to this event is replaced. */
  readonly throughSeq: number;
  /** The model has not yet answered what came after this event: its results are shown again; undefined: none. */
  readonly unseenAfter: number | undefined;
  /** What the text may take. */
  readonly bytes: number;
  /** Under which the whole replaced transcript can be had. */
  readonly archiveId: ArchiveId | undefined;
}

/** Of the target size. */
const messageShare = 0.5;
const commandShare = 0.25;
const errorShare = 0.25;
const resultShare = 0.25;
const jobShare = 0.1;
const pointedShare = 0.25;
/** What the headings and the lines between the sections take at most. */
const frameBytes = 1_000;

export function machineFacts(events: readonly LoggedEvent[], wish: FactsWish): string {
  const story = tellStory(events, wish.throughSeq);
  const frame = Math.min(frameBytes, wish.bytes / 4);
  const memory = memoryOf(events);
  const notes = notesText(memory);
  const skills = skillsText(story);
  const kept = [notes, memory.todo, skills].reduce((sum, text) => sum + utf8Length(text), 0);
  const budget = Math.max(1, wish.bytes - frame - kept);
  let left = budget;
  const take = (share: number, tell: (bytes: number) => string) => {
    const text = tell(Math.max(0, Math.floor(Math.min(left, share * budget))));
    left -= utf8Length(text);
    return text;
  };
  const jobs = take(jobShare, (bytes) => tellRunningJobs(events, bytes));
  const results = take(resultShare, (bytes) => tellUnseen(story, wish.unseenAfter, bytes));
  const messages = take(messageShare, (bytes) => tellMessages(story.messages, bytes));
  const errors = take(errorShare, (bytes) => tellErrors(story, bytes));
  const commands = take(commandShare, (bytes) => commandText(story, wish, bytes));
  const pointed = take(Math.min(pointedShare, left / budget / 2), (bytes) => tellPointedTo(events, wish, bytes));
  const files = take(1, (bytes) => tellFiles(story, bytes));
  const moment = momentOf(story);
  const sections = [
    section('FACTS OF THE SESSION', utf8Length(moment) < frame / 2 ? moment : ''),
    // Word for word and first: they were written to be kept.
    section('YOUR NOTES', notes),
    section('YOUR TODO LIST', memory.todo),
    section('SKILLS LOADED', skills),
    section('JOBS THAT RUN; you are told when they end', jobs),
    section('WHAT THE USER SAID', messages),
    section('FILES AND CODE', files),
    section('ERRORS AND FIXES', errors),
    section('COMMANDS RUN, newest first', commands),
    section('EARLIER CALLS THAT RESULTS POINT TO', pointed),
    section('RESULTS OF YOUR LAST CALLS', results),
  ];
  return clipUtf8(wellFormed(sections.filter((text) => text !== '').join('\n\n')), wish.bytes);
}

function section(heading: string, text: string): string {
  return text === '' ? '' : `## ${heading}\n${text}`;
}

function momentOf({ messages, mode, folder }: Story): string {
  const facts = messages.find((message) => message.facts !== undefined)?.facts;
  return [...(facts === undefined ? [] : [withFolder(facts, folder)]), `Mode: ${mode}`].join('\n');
}

/** Their text is gone, what they ask for holds on. */
function skillsText({ calls }: Story): string {
  const loaded = calls.filter(({ name, outcome }) => name === 'skill' && outcome === 'ok');
  const names = new Set(loaded.map((call) => headAndTail(textField(call, 'name') ?? '', 80)));
  names.delete(skillListName);
  if (names.size === 0) return '';
  const shown = [...names].slice(-mostSkills).join(', ');
  return `${shown}. Their text is no longer shown: load one again before you go on by it.`;
}

const mostSkills = 10;

function commandText(story: Story, { archiveId }: FactsWish, bytes: number): string {
  const { lines, missing } = tellCommands(story, bytes - missingBytes);
  if (missing === 0) return lines.join('\n');
  const where = archiveId === undefined ? '' : `: recall {"id":"${shortId(archiveId)}","pattern":"^\\\\$ "}`;
  return [...lines, `[${missing} more${where}]`].join('\n');
}

const missingBytes = 80;

/** What the model asked for and has never been shown. */
function tellUnseen({ calls }: Story, after: number | undefined, bytes: number): string {
  const unseen = after === undefined ? [] : calls.filter(({ seq }) => seq > after);
  const each = Math.floor(bytes / Math.max(1, unseen.length)) - 300;
  if (each < 100) return '';
  return unseen.map((call) => `${labelOf(call)}\n${fenced(headAndTail(call.shown, each))}`).join('\n');
}
