/** The line at the bottom: model, mode, how full the window is, the cache and its clock, money. Pure. */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { columnsOf } from '../text/clusters.ts';
import { type Line, type Span, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit } from '../text/wrap.ts';
import type { Status } from './status.ts';

export interface StatusFacts {
  /** Tokens of the model's window; undefined: not known. */
  readonly window?: number | undefined;
  /** How long the provider keeps a prompt, milliseconds; undefined: not known. */
  readonly cacheTtlMs?: number | undefined;
  /** Milliseconds of the epoch. */
  readonly now: number;
  /** Said at the end: what is waited for, or how to get on. */
  readonly says: string;
}

export function statusLine(status: Status, facts: StatusFacts, columns: number): Line {
  const right = facts.says === '' ? '' : `${sanitiseLine(facts.says)} `;
  const parts = fitting(leftParts(status, facts, columns), columns - columnsOf(right) - 2);
  const left = parts.length === 0 ? '' : ` ${parts.join(' · ')} `;
  const space = columns - columnsOf(left) - columnsOf(right);
  const spans: Span[] = [
    span(left, theme.bar),
    ...(space > 0 ? [span(' '.repeat(space), theme.bar)] : []),
    span(right, { ...theme.bar, bold: true }),
  ];
  return fit(spans, columns);
}

/** What the terminal's own window is called. */
export function terminalTitle({ title }: Status): string {
  const words = sanitiseLine(title).trim();
  return words === '' ? 'zerd' : `zerd: ${words.length > mostTitle ? `${words.slice(0, mostTitle - 1)}…` : words}`;
}

const mostTitle = 80;

/** What is said where there is room, and with ever less of it: what a message costs outlasts what its parts are. */
function leftParts(status: Status, facts: StatusFacts, columns: number): readonly (readonly string[])[] {
  const model = modelPart(status, Math.max(leastModel, Math.floor(columns * 0.4)));
  const { mode } = status;
  const window = windowPart(status, facts);
  const { read, warm } = cacheParts(status, facts);
  const { session, turn } = moneyParts(status);
  return [
    [model, mode, ...window, ...warm, ...turn],
    [model, mode, ...window, ...warm, ...session],
    [model, mode, ...window, ...read, ...session],
    [model, mode, ...window, ...session],
    [model, mode, ...session],
    [model, mode],
    [model],
  ];
}

/** None of them: what is waited for takes all of the line. */
function fitting(ways: readonly (readonly string[])[], columns: number): readonly string[] {
  return ways.find((parts) => parts.reduce((sum, part) => sum + columnsOf(part) + 3, -3) <= columns) ?? [];
}

/** Columns that a model's name has at least. */
const leastModel = 12;

/** A name that is very long leaves room for what changes. */
function modelPart({ model, chosenModel }: Status, columns: number): string {
  const answers = sanitiseLine(model === '' ? 'no model' : model);
  const words = chosenModel === undefined ? answers : `${answers} → ${sanitiseLine(chosenModel)}`;
  return columnsOf(words) <= columns ? words : `${words.slice(0, columns - 1)}…`;
}

function windowPart({ used }: Status, { window }: StatusFacts): readonly string[] {
  if (used === undefined) return [];
  if (window === undefined) return [`${thousands(used)} tokens`];
  return [`${Math.round((100 * used) / window)} % of ${thousands(window)}`];
}

/** Each with less and with more. */
function cacheParts(
  { hit, sentAt }: Status,
  { cacheTtlMs, now }: StatusFacts,
): Readonly<Record<'read' | 'warm', readonly string[]>> {
  if (hit === undefined) return { read: [], warm: [] };
  const read = `cache ${Math.round(100 * hit)} %`;
  if (sentAt === undefined || cacheTtlMs === undefined) return { read: [read], warm: [read] };
  const left = sentAt + cacheTtlMs - now;
  return { read: [read], warm: [left > 0 ? `${read}, warm ${clock(left)}` : `${read}, cold`] };
}

function moneyParts({
  sessionPico,
  turnPico,
  unpriced,
  requests,
}: Status): Readonly<Record<'session' | 'turn', readonly string[]>> {
  if (requests === 0) return { session: [], turn: [] };
  if (unpriced && sessionPico === 0) return { session: ['unpriced'], turn: ['unpriced'] };
  const session = `${dollars(sessionPico)}${unpriced ? '+' : ''}`;
  const turn = turnPico > 0 && turnPico !== sessionPico ? ` (turn ${dollars(turnPico)})` : '';
  return { session: [session], turn: [session + turn] };
}

export function dollars(pico: number): string {
  const amount = pico / 1e12;
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
}

/** '9999', '200k', '1M', '1.5M'. */
export function thousands(count: number): string {
  if (count < 10_000) return String(count);
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${Number((count / 1_000_000).toFixed(1))}M`;
}

function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
