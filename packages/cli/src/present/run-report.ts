/** What a run says at its end: one JSON object for programs, a few lines for people when it did not simply succeed. */
import { endText } from '@zerd/protocol/common/end-text';
import { errorTable } from '@zerd/protocol/common/errors';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import { counted } from './cost-line.ts';
import { type Line, linesOf } from './paint.ts';
import { costUsd, type Summary } from './summary.ts';

export interface RunReport {
  readonly sessionId: SessionId | null;
  readonly turnId: TurnId | null;
  readonly summary: Summary;
  /** The repository was trusted for this run alone: going on takes the same word. */
  readonly trustedOnce?: boolean;
}

/** The fields and their order are an interface: add, never rename. `costUsd` is null when it is not known. */
export function reportJson({ sessionId, turnId, summary }: RunReport): object {
  return {
    sessionId,
    turnId,
    outcome: summary.outcome ?? 'failed',
    text: summary.text,
    requests: summary.requests,
    toolCalls: summary.toolCalls,
    requestBytes: summary.requestBytes,
    usage: summary.usage,
    costUsd: costUsd(summary),
    unpricedRequests: summary.unpricedRequests,
    filesChanged: summary.filesChanged,
    asks: summary.asks,
    failure: summary.failure,
  };
}

/** Lines for standard error; none for a turn that is done. */
export function closingLines({ sessionId, summary, trustedOnce }: RunReport): readonly Line[] {
  const go = `zerd run --session ${sessionId}${trustedOnce === true ? ' --trust' : ''}`;
  switch (summary.outcome) {
    case null:
    case 'done':
      return [];
    case 'failed':
      return [
        told(`failed: ${failureText(summary)}`),
        ...advice(summary),
        next(`What was done is kept. Go on: ${go} "go on"`),
      ];
    case 'limit':
      return [
        told(
          `stopped after ${counted(summary.requests, 'request')}: ${summary.failure?.message ?? 'a limit was reached'}`,
        ),
        next(`Go on: ${go} ${moreFor(summary)}"go on"`),
      ];
    case 'needs-answer':
      return [...questions(summary), next(`It was not done. Allow it: ${go} --mode ${modeFor(summary)} "go on"`)];
    case 'interrupted':
      return [
        told(endText('interrupted', summary.failure ?? undefined)),
        next(`What was done is kept. Go on: ${go} "go on"`),
      ];
  }
}

/** A budget says itself how it is raised. */
function moreFor({ failure, requests }: RunReport['summary']): string {
  const message = failure?.message ?? '';
  if (/^The budget of the session of \d+ tokens/.test(message)) return '--max-tokens N ';
  if (/^The budget of the session/.test(message)) return '--max-cost USD ';
  return /^The budget of/.test(message) ? '' : `--max-requests ${Math.max(1, 2 * requests)} `;
}

function told(text: string): Line {
  return { tone: 'bad', text: `zerd: ${text}` };
}

function next(text: string): Line {
  return { tone: 'plain', text };
}

function failureText({ failure }: Summary): string {
  return failure === null ? 'no reason was recorded' : `${failure.message} (${failure.code})`;
}

function advice({ failure }: Summary): readonly Line[] {
  const row = Object.entries(errorTable).find(([code]) => code === failure?.code);
  return row === undefined ? [] : [next(row[1].todo)];
}

function questions({ asks }: Summary): readonly Line[] {
  return asks.flatMap((ask) => [
    told('needs an answer, and nobody is here to give it. May this be done?'),
    ...linesOf(ask.asks, 'strong').map((line) => ({ ...line, text: `  ${line.text}` })),
  ]);
}

/** The narrowest mode that does not ask about these. */
function modeFor({ asks }: Summary): 'edit' | 'full' {
  return asks.length > 0 && asks.every(({ tool }) => tool === 'write' || tool === 'edit') ? 'edit' : 'full';
}
