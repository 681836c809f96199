/**
 * Decides which lines tell a person what a session does: one line a tool call with its outcome and duration, diffs of
 * edits, retries, questions, ends. Pure: (what is known, event) -> [what is known, lines]. Nothing is sanitised here;
 * `paint` does that.
 */

import { callLabel } from '@zerd/protocol/common/call-label';
import { chosenText } from '@zerd/protocol/common/chosen-model';
import { endText, isInterrupted } from '@zerd/protocol/common/end-text';
import type { Failure, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import { imageLabel, refusedImagesText, withImageLabels } from '@zerd/protocol/common/image-words';
import { bytes, costLine, duration, thousands } from './cost-line.ts';
import { type Line, linesOf, type Tone } from './paint.ts';
import { addEvent, emptySummary, flowOf, type Summary } from './summary.ts';

export interface Progress {
  /** Labels of the calls that are running, by call id. */
  readonly calls: Readonly<Record<string, string>>;
  /** The figures of the running turn. */
  readonly turn: Summary;
}

export const emptyProgress: Progress = { calls: {}, turn: emptySummary };

/**
 * Who looks: a watcher sees everything; whoever runs the turn typed the prompt himself and is given the final answer and
 * the failure elsewhere.
 */
export type View = 'run' | 'watch';

export function progress(known: Progress, { at, event }: Happening, view: View): readonly [Progress, readonly Line[]] {
  const turn = addEvent(event.kind === 'turn.started' ? emptySummary : known.turn, event);
  const told = view === 'run' ? withoutElsewhere(event) : event;
  const lines = told === undefined ? [] : linesFor({ calls: known.calls, turn }, told, at);
  return [{ calls: nextCalls(known.calls, event), turn }, lines];
}

type Happening = Pick<LoggedEvent, 'at' | 'event'>;

/** What the run does not say itself; of its end it says the reason. */
function withoutElsewhere(event: SessionEvent): SessionEvent | undefined {
  if (event.kind !== 'turn.finished') return isToldElsewhere(event) ? undefined : event;
  const { failure: _, ...ended } = event;
  return ended;
}

function isToldElsewhere(event: SessionEvent): boolean {
  if (event.kind === 'assistant.finished') return event.content.every((block) => block.kind !== 'toolCall');
  return event.kind === 'message.submitted' || event.kind.startsWith('approval.');
}

function nextCalls(calls: Progress['calls'], event: SessionEvent): Progress['calls'] {
  if (event.kind === 'turn.started') return {};
  if (event.kind === 'toolCall.started') return { ...calls, [event.callId]: callLabel(event.name, event.inputJson) };
  if (event.kind !== 'assistant.finished') return calls;
  // Those that never run are named too.
  const named = event.content.flatMap((block) =>
    block.kind === 'toolCall' ? [[block.callId, callLabel(block.name, block.inputJson)] as const] : [],
  );
  return { ...calls, ...Object.fromEntries(named) };
}

function linesFor(known: Progress, event: SessionEvent, at: number): readonly Line[] {
  switch (event.kind) {
    case 'session.created':
      return one('dim', `session with ${event.model}, mode ${event.mode}, in ${event.root}`);
    case 'message.submitted':
      return linesOf(withImageLabels(event.text, event.images)).map((line, index) => ({
        tone: 'strong',
        text: `${index === 0 ? '> ' : '  '}${line.text}`,
      }));
    case 'mode.changed':
      return one('dim', `mode is now ${event.mode}`);
    case 'model.chosen':
      return one('dim', chosenText(event));
    case 'model.changed':
      return one('dim', `model is now ${event.model}`);
    case 'request.started':
      if (event.purpose === 'keepWarm')
        return one('dim', `request to keep the prompt warm at ${event.model}, ${bytes(event.bytes)}`);
      return one(
        'dim',
        `request ${known.turn.requests}${attempt(event.attempt)} to ${event.model}, ${bytes(event.bytes)}`,
      );
    case 'request.failed':
      if (isInterrupted(event.failure)) return [];
      return one('warn', `request failed: ${failureText(event.failure)}${retry(event.retryAt, at)}`);
    case 'assistant.finished':
      if (event.requestId === known.turn.beside) return [];
      return event.content.flatMap((block) =>
        block.kind === 'text' && block.text.trim() !== '' ? linesOf(block.text.trimEnd()) : [],
      );
    case 'toolCall.started':
    case 'turn.started':
    case 'prompt.changed':
    case 'prompt.removed':
      return [];
    case 'turn.resumed':
      return one('dim', `the turn goes on: ${event.reason}`);
    case 'prompt.queued':
      return one('dim', `waiting to be said: ${firstLine(event.text)}`);
    case 'question.asked':
      return questionLines(event);
    case 'question.answered':
      return one('dim', event.answer === undefined ? `no answer: ${event.reason ?? ''}` : `answered: ${event.answer}`);
    case 'notes.changed':
      // The model's own change is the line of its call.
      return event.by === 'model' ? [] : one('dim', 'the notes were edited');
    case 'todo.changed':
      return linesOf(event.list.trimEnd()).map((line) => ({ ...line, text: `  ${line.text}` }));
    case 'subagent.started':
      return one('dim', `sub-agent ${event.sessionId}: ${event.title}`);
    case 'job.started':
      return one('dim', `goes on in the background as ${event.jobId}: ${firstLine(event.command)}`);
    case 'job.finished':
      return one(event.exitCode === 0 ? 'dim' : 'warn', `${event.jobId} is over: ${jobEnding(event)}`);
    case 'prompt.held':
      return one('warn', `a waiting prompt cannot begin: ${event.needs.message}`);
    case 'wait.expired':
      return one('warn', `waited ${duration(event.afterMs)} for ${event.for}: ${event.reason}`);
    case 'toolCall.finished':
      return [
        callLine(known.calls[event.callId] ?? event.callId, event),
        ...(event.images ?? []).flatMap((image) => one('dim', `  ${imageLabel(image)}`)),
        ...diffLines(event.diff),
      ];
    case 'approval.requested':
      return [
        { tone: 'warn', text: `? ${event.tool} asks:` },
        ...linesOf(event.asks).map((line) => ({ ...line, text: `  ${line.text}` })),
      ];
    case 'approval.answered':
      return one('dim', answeredText(event));
    case 'cache.warned':
    case 'budget.warned':
      return one('warn', event.text);
    case 'context.trimmed':
      return one('dim', `cleared ${trimText(event)}: ${event.reason}`);
    case 'budget.raised':
      return one('dim', `the budget of the ${event.scope} was raised`);
    case 'context.measured':
      return [];
    case 'context.compacted':
      return one('dim', `summed up the conversation, ${compactedText(event)}: ${event.reason}`);
    case 'images.refused':
      return one('warn', refusedImagesText(event.images.length, event.reason));
    case 'reminder.added':
      return one('dim', reminderText(event));
    case 'turn.finished':
      return one(event.outcome === 'done' ? 'good' : 'bad', `${ended(event)}: ${costLine(flowOf(known.turn))}`);
  }
}

function one(tone: Tone, text: string): readonly Line[] {
  return [{ tone, text }];
}

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

const marks: Readonly<Record<Finished['outcome'], string>> = {
  ok: '✓',
  failed: '✗',
  denied: '-',
  interrupted: '!',
  unknown: '?',
};

function callLine(label: string, event: Finished): Line {
  const exit = event.exitCode === undefined || event.exitCode === 0 ? '' : `exit ${event.exitCode}, `;
  const outcome = event.outcome === 'ok' || event.outcome === 'failed' ? '' : `${event.outcome}, `;
  const said = event.outcome === 'failed' && event.exitCode === undefined ? `: ${firstLine(event.shown)}` : '';
  return {
    tone: event.outcome === 'ok' ? 'plain' : 'bad',
    text: `${marks[event.outcome]} ${label} (${exit}${outcome}${duration(event.durationMs)})${said}`,
  };
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

const diffLinesShown = 60;

function diffLines(diff: string | undefined): readonly Line[] {
  if (diff === undefined || diff === '') return [];
  const lines = diff.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, diffLinesShown).map((text) => ({ tone: diffTone(text), text: `    ${text}` }));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, { tone: 'dim', text: `    ... ${more} more lines of this diff` }];
}

/** How a line of a unified diff is drawn. */
export function diffTone(line: string): Tone {
  if (line.startsWith('+++') || line.startsWith('---')) return 'dim';
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'plain';
}

type Trimmed = Extract<SessionEvent, { kind: 'context.trimmed' }>;

function trimText({ calls, predicted }: Trimmed): string {
  return `${calls.length} old ${calls.length === 1 ? 'result' : 'results'} from the prompt, about ${predicted.cut} tokens`;
}

function reminderText({ about }: Extract<SessionEvent, { kind: 'reminder.added' }>): string {
  switch (about.kind) {
    case 'leakedCall':
      return 'a tool call arrived as text: the model was told to call again';
    case 'filesChanged':
      return `told the model of changes on disk: ${filesText(about.files)}`;
    case 'rulesChanged':
      return `told the model of changed rules: ${filesText(about.files)}`;
    case 'outsideTools':
      return `told the model of outside tools: ${serversText(about.servers)}`;
    case 'todoStale':
      return `reminded the model of its list of steps, unchanged for ${about.requests} requests`;
    case 'notesEdited':
      return 'told the model that the notes were edited';
    case 'jobsEnded':
      return `told the model that ${about.jobIds.join(', ')} ended`;
    case 'modeChanged':
      return `told the model that the mode is now ${about.mode}`;
    case 'folderMoved':
      return `told the model that the working folder is now ${about.folder}`;
  }
}

type OutsideServer = Extract<
  Extract<SessionEvent, { kind: 'reminder.added' }>['about'],
  { kind: 'outsideTools' }
>['servers'][number];

const stateWords: Readonly<Record<OutsideServer['state'], string>> = {
  ready: 'is there again',
  unknown: 'is not connected yet',
  failed: 'cannot be used now',
  unapproved: 'waits for approval',
  gone: 'is gone',
};

function serversText(servers: readonly OutsideServer[]): string {
  return servers
    .map(({ name, state, tools }) =>
      tools === undefined ? `${name} ${stateWords[state]}` : `${name} (${tools.count})`,
    )
    .join(', ');
}

function filesText(files: readonly { readonly path: string; readonly hash?: string | undefined }[]): string {
  const [first, ...more] = files.map((file) => (file.hash === undefined ? `${file.path} is gone` : file.path));
  return `${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

function questionLines({ text, options = [] }: Extract<SessionEvent, { kind: 'question.asked' }>): readonly Line[] {
  const lines = linesOf(text).map((line, index) => ({ ...line, text: `${index === 0 ? '? ' : '  '}${line.text}` }));
  return [...lines, ...options.map((option, index) => ({ tone: 'plain' as const, text: `  ${index + 1}. ${option}` }))];
}

function jobEnding({ outcome, exitCode, reason }: Extract<SessionEvent, { kind: 'job.finished' }>): string {
  const code = exitCode === undefined ? outcome : `exit ${exitCode}`;
  return reason === undefined ? code : `${code} (${reason})`;
}

function compactedText({ predicted }: Extract<SessionEvent, { kind: 'context.compacted' }>): string {
  return `about ${thousands(predicted.prompt)} -> ${thousands(predicted.after)} tokens`;
}

function attempt(number: number): string {
  return number > 1 ? ` (attempt ${number})` : '';
}

function retry(retryAt: number | undefined, at: number): string {
  return retryAt === undefined ? '' : `; trying again in ${duration(Math.max(0, retryAt - at))}`;
}

function ended({ outcome, failure }: Extract<SessionEvent, { kind: 'turn.finished' }>): string {
  if (failure === undefined || isInterrupted(failure)) return endText(outcome, failure);
  return `${outcome} (${failureText(failure)})`;
}

function failureText(failure: Failure): string {
  return `${failure.code}${failure.status === undefined ? '' : ` ${failure.status}`}: ${failure.message}`;
}

function answeredText({ decision, reason, always }: Extract<SessionEvent, { kind: 'approval.answered' }>): string {
  if (always !== undefined) return `${decision} for good: ${always.join(', ')}`;
  return reason === undefined ? decision : `${decision}: ${reason}`;
}
