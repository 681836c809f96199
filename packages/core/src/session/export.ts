/**
 * Writes a session as text, event by event: for people as Markdown, what was said in full and each call in one line with
 * its change; for programs as JSON, an event a line. Invariant: the text of an event depends on that event and on the
 * names of calls and requests alone, so that pages join to the whole; nothing quoted can end its fence or steer a
 * terminal.
 */

import { callLabel } from '@zerd/protocol/common/call-label';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId } from '@zerd/protocol/common/ids';
import { imageLabel, refusedImagesText, withImageLabels } from '@zerd/protocol/common/image-words';
import type { SessionRow } from '@zerd/protocol/common/methods';
import { safeJson, sanitise } from '@zerd/protocol/common/sanitise';
import { clipUtf8 } from '../text/utf8.ts';

/** What the text of an event takes from others. */
export interface ExportContext {
  readonly session: Pick<SessionRow, 'sessionId' | 'title'>;
  readonly calls: ReadonlyMap<CallId, CalledTool>;
  /** Requests beside the conversation, such as for summaries: their answers are no part of it. */
  readonly beside: ReadonlySet<RequestId>;
}

export interface CalledTool {
  readonly name: string;
  readonly inputJson: string;
}

export function exportJson({ seq, at, event }: LoggedEvent): string {
  return `${safeJson({ seq, at, event })}\n`;
}

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

/** '' for what people need not read. */
export function exportMarkdown(logged: LoggedEvent, context: ExportContext): string {
  return sanitise(markdownOf(logged, context));
}

function markdownOf({ at, event }: LoggedEvent, { session, calls, beside }: ExportContext): string {
  switch (event.kind) {
    case 'session.created':
      return head(event, at, session);
    case 'message.submitted':
      return `## User, ${time(at)}\n\n${withImageLabels(event.text.trim(), event.images)}\n\n`;
    case 'assistant.finished':
      return beside.has(event.requestId) ? '' : said(event);
    case 'toolCall.finished':
      return called(event, calls.get(event.callId));
    case 'question.asked':
      return `> **Asked:** ${oneLine(event.text)}\n\n`;
    case 'question.answered':
      return `> **Answered:** ${oneLine(event.answer ?? event.reason ?? 'nothing')}\n\n`;
    case 'subagent.started':
      return `- sub-agent ${code(event.title)} works in \`${event.sessionId}\`\n\n`;
    case 'context.compacted':
      return `> What came before was summed up for the model (${oneLine(event.reason)}).\n\n`;
    case 'images.refused':
      return `> ${oneLine(refusedImagesText(event.images.length, event.reason))}\n\n`;
    case 'mode.changed':
      return `> Mode is now ${event.mode}.\n\n`;
    case 'model.changed':
      return `> Model is now ${event.model}.\n\n`;
    case 'turn.finished':
      return event.outcome === 'done' ? '' : `> **${event.outcome}**: ${oneLine(event.failure?.message ?? '')}\n\n`;
    default:
      return '';
  }
}

function head(
  { root, model, mode, forkOf, parent }: EventOf<'session.created'>,
  at: number,
  session: ExportContext['session'],
) {
  const facts = [
    `- Session: \`${session.sessionId}\``,
    `- Folder: ${code(root)}`,
    `- Model: ${model}, mode ${mode}`,
    `- Begun: ${time(at)}`,
    ...(forkOf === undefined ? [] : [`- Fork of \`${forkOf.sessionId}\` at event ${forkOf.seq}`]),
    ...(parent === undefined ? [] : [`- Sub-agent of \`${parent.sessionId}\`: ${oneLine(parent.title)}`]),
  ];
  return `# ${oneLine(session.title) || 'A session'}\n\n${facts.join('\n')}\n\n`;
}

/** The calls come with their results. */
function said({ content }: EventOf<'assistant.finished'>): string {
  const texts = content.flatMap((block) =>
    block.kind === 'text' && block.text.trim() !== '' ? [block.text.trim()] : [],
  );
  return texts.length === 0 ? '' : `## zerd\n\n${texts.join('\n\n')}\n\n`;
}

function called(
  { outcome, exitCode, diff, shown, images = [] }: EventOf<'toolCall.finished'>,
  call: CalledTool | undefined,
): string {
  const name = call?.name ?? 'a call';
  const exit = exitCode === undefined || exitCode === 0 ? '' : `, exit ${exitCode}`;
  const how = outcome === 'ok' ? exit : ` (${outcome}${exit})`;
  const first = outcome === 'ok' ? '' : `: ${oneLine(shown.split('\n')[0] ?? '')}`;
  const pictures = images.map((image) => ` ${imageLabel(image)}`).join('');
  const change = diff === undefined ? '' : `${fenced(diff.trimEnd(), 'diff')}\n`;
  return `- **${name}** ${call === undefined ? '' : code(subjectOf(call))}${how}${first}${pictures}\n\n${change}`;
}

/** What a call is about, in one line. */
function subjectOf({ name, inputJson }: CalledTool): string {
  return oneLine(callLabel(name, inputJson).slice(name.length));
}

const longestLine = 200;

function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const clipped = clipUtf8(line, longestLine);
  return clipped.length < line.length ? `${clipped}...` : line;
}

/** Between as many backticks as none of the text can end. */
function code(text: string): string {
  if (text === '') return '';
  const ticks = '`'.repeat(1 + longestRun(text));
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

function fenced(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(text)));
  return `${fence}${language}\n${text}\n${fence}\n`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** UTC, to the minute. */
function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
