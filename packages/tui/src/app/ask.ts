/**
 * What is asked of the person: approvals and questions, in a region of their own. Invariants: all of a command is shown, or
 * can be scrolled to, with what would hide it escaped; nothing is allowed for good that was not in sight; a key that was typed before the question stood there long enough to
 * be read answers nothing (S-47).
 */
import type { PendingApproval, PendingQuestion } from '@zerd/protocol/common/methods';
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Input } from '../screen/port.ts';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit, wrap } from '../text/wrap.ts';
import { askedChange } from './asked-change.ts';
import { textLines } from './overlay.ts';

export type Asked =
  | { readonly kind: 'approval'; readonly id: string; readonly approval: PendingApproval }
  | { readonly kind: 'question'; readonly id: string; readonly question: PendingQuestion };

export type Answer =
  | { readonly kind: 'approval'; readonly approval: PendingApproval; readonly says: 'yes' | 'always' | 'no' }
  | { readonly kind: 'question'; readonly question: PendingQuestion; readonly answer: string };

export interface Ask {
  /** What waits, oldest first; what stands first is shown. */
  set(asked: readonly Asked[]): void;
  readonly open: boolean;
  /** A question takes what is written as its answer. */
  readonly takesText: PendingQuestion | undefined;
  lines(columns: number, rows: number): readonly Line[];
  /** The answer that a key gives; true: it was taken and answers nothing yet. */
  take(input: Input): Answer | boolean;
}

/** Time to read: what is typed sooner was meant for something else. */
const readingMs = 600;

export function createAsk(now: () => number): Ask {
  let asked: readonly Asked[] = [];
  let shownAt = 0;
  let scroll = 0;
  /** What `always` would allow stands at the end. */
  let endSeen = false;

  const first = () => asked[0];

  function lines(columns: number, rows: number): readonly Line[] {
    const one = first();
    if (one === undefined) return [];
    const { head, body, keys } = wordsOf(one, asked.length);
    const text = body.flatMap((line) => wrap([span('  '), ...line], { columns, anywhere: true, hang: '  ' }));
    const room = Math.max(1, rows - 2);
    scroll = Math.max(0, Math.min(scroll, text.length - room));
    const seen = text.slice(scroll, scroll + room);
    endSeen ||= scroll + room >= text.length;
    const hidden = text.length - seen.length;
    const more = hidden === 0 ? '' : `  (${hidden} more lines: PgUp, PgDn)`;
    return [
      fit([span(`? ${head}${more}`, theme.asks)], columns),
      ...seen,
      fit([span(`  ${keys}`, theme.dim)], columns),
    ];
  }

  function take(input: Input): Answer | boolean {
    const one = first();
    if (one === undefined || input.kind !== 'key') return false;
    const { name, ctrl, alt } = input.key;
    if (name === 'pageup' || name === 'pagedown') {
      scroll += name === 'pageup' ? -5 : 5;
      return true;
    }
    if (ctrl || alt) return false;
    const answer = one.kind === 'approval' ? approvalKey(one.approval, name) : questionKey(one.question, name);
    if (answer === undefined) return false;
    if (answer.kind === 'approval' && answer.says === 'always' && !endSeen) {
      scroll = Number.POSITIVE_INFINITY;
      return true;
    }
    return now() - shownAt < readingMs ? true : answer;
  }

  return {
    set(next) {
      if (next[0]?.id !== asked[0]?.id) {
        shownAt = now();
        scroll = 0;
        endSeen = false;
      }
      asked = next;
    },
    get open() {
      return asked.length > 0;
    },
    get takesText() {
      const one = first();
      return one?.kind === 'question' ? one.question : undefined;
    },
    lines,
    take,
  };
}

function approvalKey(approval: PendingApproval, name: string): Answer | undefined {
  if (name === 'a') return approval.always && { kind: 'approval', approval, says: 'always' };
  return name === 'y' || name === 'n' ? { kind: 'approval', approval, says: name === 'y' ? 'yes' : 'no' } : undefined;
}

function questionKey(question: PendingQuestion, name: string): Answer | undefined {
  const answer = /^[1-9]$/.test(name) ? question.options[Number(name) - 1] : undefined;
  return answer === undefined ? undefined : { kind: 'question', question, answer };
}

function wordsOf(asked: Asked, count: number) {
  const others = count > 1 ? `, and ${count - 1} more` : '';
  if (asked.kind === 'approval') {
    const { approval } = asked;
    const who = approval.sessionId === undefined ? '' : ' of a sub-agent';
    return {
      head: `May this run${who}? (${approval.tool}${others})`,
      body: [
        ...(askedChange(approval.tool, approval.asks) ?? textLines(sanitise(approval.asks))),
        ...alwaysLines(approval),
      ],
      keys: `y allow   ${approval.always ? 'a always   ' : ''}n refuse   (with an empty input)`,
    };
  }
  const { question } = asked;
  const options = question.options.map((option, index) => `${index + 1}. ${sanitise(option)}`);
  return {
    head: `${question.about === undefined ? 'The model asks' : 'zerd asks'}${others}`,
    body: [...textLines(sanitise(question.text)), ...options.map((option) => [span(option)])],
    keys: `${choosing(options.length)}write an answer and press Enter`,
  };
}

/** What would run unasked from now on. */
function alwaysLines({ always = [] }: PendingApproval): readonly Line[] {
  return always.length === 0
    ? []
    : [[span(`a: always in this repository: ${sanitiseLine(always.join(', '))}`, theme.dim)]];
}

function choosing(options: number): string {
  if (options === 0) return '';
  return options === 1 ? '1 chooses, or ' : `1-${Math.min(9, options)} choose, or `;
}
