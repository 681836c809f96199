/** The commands that begin with a slash: their words, and what each does. */

import { writeFile } from 'node:fs/promises';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultOf } from '@zerd/protocol/common/methods';
import type { Mode } from '@zerd/protocol/common/mode';
import { plainNumber } from '@zerd/protocol/common/plain-number';
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Command } from '../input/complete.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import type { Desk } from './desk.ts';
import { switchText } from './forecast.ts';
import { chooseSession, resume, showQueue } from './going-on.ts';
import { showJobs } from './job-list.ts';
import { textLines } from './overlay.ts';
import { dollars, thousands } from './status-line.ts';

export interface CommandRow extends Command {
  run(desk: Desk, rest: string): Promise<void> | void;
}

const modes: Readonly<Record<Mode, string>> = {
  'read-only': 'reads and searches, changes nothing',
  ask: 'asks before every change and every command',
  edit: 'changes files by itself, asks before commands',
  full: 'changes files and runs commands by itself',
};

export const commandRows: readonly CommandRow[] = [
  { name: 'help', takes: '', says: 'The commands and keys', run: (desk) => desk.page('Help', helpLines(desk.columns)) },
  { name: 'cost', takes: '', says: 'What this session cost, what was paid twice and why', run: showCost },
  { name: 'context', takes: '', says: 'What fills the window', run: showContext },
  { name: 'jobs', takes: '', says: 'Commands that run in the background', run: showJobs },
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
  { name: 'queue', takes: '', says: 'Prompts that wait: go on with them, or take one back', run: showQueue },
  { name: 'diff', takes: '', says: 'The changes made in this session', run: showDiff },
  { name: 'search', takes: '<pattern>', says: 'Search the files of the repository', run: search },
  { name: 'notes', takes: '[edit]', says: 'What is kept in mind for the whole of the work', run: showNotes },
  { name: 'todo', takes: '', says: 'The list of steps', run: showTodo },
  { name: 'export', takes: '[FILE.md|FILE.json]', says: 'Write the session to a file', run: exportSession },
  { name: 'trust', takes: '', says: 'Let the files of this repository be read and its commands run', run: trust },
  { name: 'delete', takes: '', says: 'Remove this session for good', run: deleteSession },
  { name: 'quit', takes: '', says: 'Leave; what runs goes on', run: (desk) => desk.quit() },
];

/** Words of other agents for the same. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['clear', 'new'],
  ['exit', 'quit'],
  ['usage', 'cost'],
]);

/** Throws where there is no such command: it is not sent to the model by mistake. */
export function commandNamed(name: string): CommandRow {
  const meant = otherWords.get(name) ?? name;
  const row = commandRows.find((one) => one.name === meant);
  if (row === undefined)
    throw new Error(`There is no /${name}: /help lists them. With two slashes, //${name} is said to the model.`);
  return row;
}

/** What Shift-Tab goes through; `full` is chosen by its name alone. */
const cycled: readonly Mode[] = ['ask', 'edit', 'read-only'];

export async function nextMode(desk: Pick<Desk, 'feed' | 'sessionId' | 'begin'>, mode: Mode): Promise<void> {
  const next = cycled[(cycled.indexOf(mode) + 1) % cycled.length] ?? 'ask';
  if (desk.sessionId === undefined) return desk.begin({ mode: next });
  await desk.feed.request('session/setMode', { sessionId: desk.sessionId, mode: next });
}

function sessionOf({ sessionId }: Desk): SessionId {
  if (sessionId === undefined) throw new Error('There is no session yet: say something first, or use /sessions.');
  return sessionId;
}

function requests({ requests: count }: { readonly requests: number }): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

async function showCost(desk: Desk): Promise<void> {
  const { totals, byModel, session } = await desk.feed.request('cost/read', { sessionId: sessionOf(desk) });
  const rows = [
    `${requests(totals)}, ${dollars(totals.costPico)}${totals.unpricedRequests > 0 ? `, and ${totals.unpricedRequests} without a price` : ''}`,
    `${thousands(totals.cacheRead)} tokens read from the cache, ${thousands(totals.cacheWrite)} written to it, ${thousands(totals.uncached)} uncached, ${thousands(totals.output)} of output`,
    ...byModel.map(({ model, totals: own }) => `  ${model}: ${requests(own)}, ${dollars(own.costPico)}`),
  ];
  const misses = (session?.misses ?? []).map(
    ({ says, costPico }) => `  ${says}${costPico === null ? '' : ` (${dollars(costPico)})`}`,
  );
  const advice = session?.advice ?? [];
  desk.page('Cost', [
    ...textLines(sanitise(rows.join('\n'))),
    ...(misses.length === 0
      ? []
      : [[], [span('Paid twice:', theme.strong)], ...textLines(sanitise(misses.join('\n')))]),
    ...(advice.length === 0
      ? []
      : [[], [span('Worth acting on:', theme.strong)], ...textLines(sanitise(advice.join('\n')))]),
  ]);
}

async function showContext(desk: Desk): Promise<void> {
  const { outline, bytes, tokens, contextWindow } = await desk.feed.request('context/read', {
    sessionId: sessionOf(desk),
  });
  const head = `${tokens === undefined ? `${bytes} bytes` : `${thousands(tokens)} tokens`}${contextWindow === undefined ? '' : ` of ${thousands(contextWindow)}`}`;
  const blocks = outline?.messages.flatMap(({ role, blocks: own }) => own.map((block) => ({ role, ...block }))) ?? [];
  const tools = outline?.tools.reduce((sum, tool) => sum + tool.bytes, 0) ?? 0;
  const most = Math.max(1, outline?.system.bytes ?? 0, tools, ...blocks.map((block) => block.bytes));
  const bar = (size: number) => '█'.repeat(Math.ceil((16 * size) / most)).padEnd(16);
  const row = (what: string, size: number, about: string) =>
    `${bar(size)} ${String(size).padStart(8)}  ${what.padEnd(10)} ${about}`;
  const rows = [
    row('system', outline?.system.bytes ?? 0, outline?.system.about ?? ''),
    row('tools', tools, `${outline?.tools.length ?? 0} of them`),
    ...blocks.map(({ kind, bytes: size, about, stub }) =>
      row(stub ? `${kind}*` : kind, size, about.split('\n')[0] ?? ''),
    ),
  ];
  desk.page(`Context: ${head}, bytes of each part (* only an excerpt)`, textLines(sanitise(rows.join('\n'))));
}

async function compact(desk: Desk): Promise<void> {
  await desk.feed.request('session/compact', { sessionId: sessionOf(desk) });
}

async function selectModel(desk: Desk, rest: string): Promise<void> {
  const select = async (model: string) => {
    if (desk.sessionId === undefined) return desk.begin({ model });
    const { model: chosen } = await desk.feed.request('model/select', { sessionId: desk.sessionId, model });
    const seen = await desk.feed.request('cost/forecast', { sessionId: desk.sessionId, model: chosen });
    if (seen.rewritten > 0) desk.say('dim', switchText(chosen, seen));
  };
  if (rest !== '') return select(rest);
  const { models } = await desk.feed.request('model/list', {});
  const items = models
    .toSorted((a, b) => Number(b.ready) - Number(a.ready))
    .map(({ id, ready, priced, contextWindow }) => ({
      label: id,
      detail: [
        ready ? '' : 'needs a key',
        priced ? '' : 'unpriced',
        contextWindow === null ? '' : `${thousands(contextWindow)} tokens`,
      ]
        .filter((part) => part !== '')
        .join(', '),
      value: id,
    }));
  desk.choose('Model', items, (model) => void select(model).catch((error: unknown) => desk.say('bad', wordsOf(error))));
}

async function selectMode(desk: Desk, rest: string): Promise<void> {
  const select = async (mode: string) => {
    if (!Object.hasOwn(modes, mode)) throw new Error(`There is no mode ${mode}: ${Object.keys(modes).join(', ')}.`);
    if (desk.sessionId === undefined) return desk.begin({ mode: mode as Mode });
    await desk.feed.request('session/setMode', { sessionId: desk.sessionId, mode: mode as Mode });
  };
  if (rest !== '') return select(rest);
  const items = Object.entries(modes).map(([value, detail]) => ({ label: value, detail, value }));
  desk.choose('Mode', items, (mode) => void select(mode).catch((error: unknown) => desk.say('bad', wordsOf(error))));
}

async function trust(desk: Desk): Promise<void> {
  const { root, trusted } = await desk.feed.request('trust/read', {});
  if (trusted) return desk.say('dim', `${root} is trusted. \`zerd trust --revoke\` takes it back.`);
  const items = [
    { label: 'Not now', detail: '', value: '' },
    { label: 'Trust it', detail: 'from now on; `zerd trust --revoke` takes it back', value: 'trust' },
  ];
  desk.choose(`Trust ${sanitiseLine(root)}: read its files, run its commands?`, items, (value) => {
    if (value !== 'trust') return;
    desk.feed.request('trust/set', { trusted: true }).then(
      () => desk.say('good', `Trusted: ${root}`),
      (error: unknown) => desk.say('bad', wordsOf(error)),
    );
  });
}

async function fork(desk: Desk, rest: string): Promise<void> {
  const event = plainNumber(rest);
  if (rest !== '' && !(Number.isSafeInteger(event) && event > 0))
    return desk.say('bad', `'${rest}' is no event: they are numbered from 1.`);
  const atSeq = rest === '' ? {} : { atSeq: event };
  const { sessionId } = await desk.feed.request('session/fork', { sessionId: sessionOf(desk), ...atSeq });
  desk.open(sessionId);
}

function showDiff(desk: Desk): void {
  if (desk.diffs.length === 0) {
    desk.say('dim', 'Nothing was changed in this session.');
    return;
  }
  const lines = desk.diffs
    .join('\n')
    .split('\n')
    .map((line): Line => {
      const style = line.startsWith('+')
        ? theme.added
        : line.startsWith('-')
          ? theme.removed
          : line.startsWith('@@')
            ? theme.hunk
            : {};
      return [span(line.replaceAll('\t', '    '), style)];
    });
  desk.page('Changes of this session', lines);
}

async function search(desk: Desk, rest: string): Promise<void> {
  if (rest === '') return desk.say('warn', 'Say what to search: /search PATTERN');
  const found = await desk.feed.request('search/query', { pattern: rest });
  const { totalMatches, totalFiles } = found;
  const counts = `${totalMatches} ${totalMatches === 1 ? 'match' : 'matches'} in ${totalFiles} ${totalFiles === 1 ? 'file' : 'files'}`;
  desk.page(`Search: ${sanitiseLine(rest)}: ${counts}`, textLines(sanitise(searchText(found))));
}

/** An answer that is not whole never says that there is nothing. */
function searchText({ hits, totalMatches, incomplete, partial }: ResultOf<'search/query'>): string {
  const more = totalMatches - hits.filter(({ column }) => column !== undefined).length;
  return [
    ...hits.map(({ path, line, text }) => `${path}:${line}: ${text}`),
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(incomplete === undefined ? [] : [`incomplete: ${incomplete}`]),
    ...(partial === true ? ['hidden and ignored files were not searched'] : []),
    ...(hits.length === 0 && incomplete === undefined ? ['nothing found'] : []),
  ].join('\n');
}

async function showNotes(desk: Desk, rest: string): Promise<void> {
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

function showTodo(desk: Desk): void {
  desk.page('Steps', textLines(sanitise(desk.todo === '' ? 'No steps yet.' : desk.todo)));
}

async function exportSession(desk: Desk, rest: string): Promise<void> {
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

function deleteSession(desk: Desk): void {
  const sessionId = sessionOf(desk);
  const items = [
    { label: 'Keep it', detail: '', value: '' },
    { label: 'Remove it for good', detail: 'with its sub-agents; what it cost stays counted', value: 'delete' },
  ];
  desk.choose('Remove this session?', items, (value) => {
    if (value !== 'delete') return;
    desk.feed.request('session/delete', { sessionId }).then(
      () => desk.open(undefined),
      (error: unknown) => desk.say('bad', wordsOf(error)),
    );
  });
}

function wordsOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while it works: say it before its next step (steer)'],
  ['Tab', 'complete; while it works: wait for the end and then send (queue)'],
  ['Up, with an empty input', 'take back the last prompt that waits'],
  ['Esc', 'interrupt; leave a list'],
  ['Alt-Enter, Shift-Enter, Ctrl-J', 'a new line'],
  ['Up, Down', 'lines, then what was said before'],
  ['@', 'a file by a part of its path'],
  ['PgUp, PgDn, wheel, Ctrl-Home, Ctrl-End', 'scroll; the terminal selects text with Shift held'],
  ['Shift-Tab', 'the next mode: ask, edit, read-only'],
  ['Ctrl-O', 'open or fold what calls printed'],
  ['Ctrl-T', 'show or hide thinking'],
  ['Ctrl-L', 'draw anew'],
  ['Ctrl-Z', 'back to the shell; `fg` comes back'],
  ['Ctrl-C', 'empty the input; twice: leave. What runs goes on'],
];

function helpLines(columns: number): readonly Line[] {
  const wide = 40;
  const row = (left: string, right: string): Line => [
    span(` ${left.padEnd(Math.min(wide, Math.floor(columns / 2)))} `, theme.accent),
    span(right),
  ];
  return [
    ...commandRows.map(({ name, takes, says }) => row(`/${name}${takes === '' ? '' : ` ${takes}`}`, says)),
    [],
    ...keys.map(([key, says]) => row(key, says)),
  ];
}
