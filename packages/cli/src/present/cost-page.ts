/**
 * Makes what the page of a session's cost draws out of what the daemon says. Invariants: every text is safe to draw; what
 * has no price is null or "unpriced", never 0 (I11); each miss, trim, summary and change of the model has one mark.
 */
import type { ResultOf, SessionCost } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { counted, dollars, money, thousands } from './cost-line.ts';
import type { CostPage, MarkKind, PageCarried, PageMark, PageRequest } from './cost-page-shape.ts';

type Cost = Pick<ResultOf<'cost/read'>, 'totals' | 'byModel'>;
type Paid = NonNullable<SessionCost['requests']>[number];

export interface PageFacts {
  readonly version: string;
  readonly writtenAt: number;
}

export function costPage(cost: Cost, session: SessionCost, facts: PageFacts): CostPage {
  const { requests = [], carried } = session;
  return {
    ...facts,
    sessionId: sanitiseLine(session.sessionId),
    figures: figuresOf(cost),
    notes: notesOf(session).map(sanitiseLine),
    advice: session.advice.map(sanitiseLine),
    requests: requests.map(pageRequest),
    marks: marksOf(session, requests),
    results: carried.filter(isResult).slice(0, mostRows).map(pageCarried),
    others: carried
      .filter((one) => !isResult(one))
      .slice(0, mostRows)
      .map(pageCarried),
  };
}

/** Of each table of what is dear. */
const mostRows = 25;

function figuresOf({ totals, byModel }: Cost): CostPage['figures'] {
  const { uncached, cacheRead, cacheWrite, output, requests } = totals;
  const prompt = uncached + cacheRead + cacheWrite;
  const share = prompt === 0 ? '-' : `${Math.round((100 * cacheRead) / prompt)} %`;
  const models = byModel.length < 2 ? [] : byModel.map((one) => [sanitiseLine(one.model), money(one.totals)] as const);
  return [
    ['cost', money(totals)],
    ['requests', String(requests)],
    ['tokens in', thousands(prompt)],
    ['read from the cache', share],
    ['tokens out', thousands(output)],
    ...(byModel.length === 1 ? [['model', sanitiseLine(byModel[0]?.model ?? '')] as const] : models),
  ];
}

function notesOf({ subagents, notReported, reasoning, requests = [] }: SessionCost): readonly string[] {
  const copied = requests.filter((request) => request.copied).length;
  return [
    ...(subagents.requests > 0
      ? [`Sub-agents, beside that: ${money(subagents)} in ${counted(subagents.requests, 'request')}.`]
      : []),
    ...(copied > 0
      ? [`${counted(copied, 'request')} at the beginning: paid in the session that this is a fork of.`]
      : []),
    ...notReported.map((model) => `${model}: the endpoint says nothing of its cache, so nothing is known of misses.`),
    ...(reasoning === undefined ? [] : [reasoning]),
  ];
}

const purposes: Readonly<Record<string, string>> = {
  turn: '',
  compaction: 'a summary',
  keepWarm: 'kept warm',
  failed: 'broke off',
};

function pageRequest({ requestId, at, model, purpose, carries, usage, ...paid }: Paid): PageRequest {
  const told = usage?.reported === true;
  const what = purposes[purpose] ?? sanitiseLine(purpose);
  return {
    id: sanitiseLine(requestId),
    at,
    model: sanitiseLine(model),
    purpose: paid.copied ? [what, 'paid in the parent'].filter(Boolean).join(', ') : what,
    carries: carries === undefined ? null : [carries.tools, carries.system, carries.messages, carries.results],
    cache: told ? [usage.cacheRead, usage.cacheWrite, usage.uncached] : null,
    output: told ? usage.output : null,
    money: moneyOf(paid),
  };
}

/** A bill that is not made of its parts is shown as one. */
function moneyOf({ parts, costPico }: Pick<Paid, 'parts' | 'costPico'>): PageRequest['money'] {
  if (costPico === null) return null;
  if (parts === undefined || parts.adjusted < 0) return [0, 0, 0, 0, costPico];
  return [parts.cacheRead, parts.cacheWrite + parts.cacheWrite1h, parts.uncached, parts.output, parts.adjusted];
}

type Miss = SessionCost['misses'][number];
type Change = NonNullable<SessionCost['changes']>[number];

const blames: Readonly<Record<Miss['blame'], string>> = {
  ours: 'zerd',
  yours: 'you',
  provider: 'provider',
  unknown: 'unknown',
};
const changeKinds: Readonly<Record<Change['kind'], MarkKind>> = {
  trimmed: 'trim',
  compacted: 'summary',
  modelChanged: 'model',
  imagesRefused: 'trim',
};

/** In the order of the requests. A change shows at the first request behind it. */
function marksOf({ misses, changes = [] }: SessionCost, requests: readonly Paid[]): readonly PageMark[] {
  const last = requests.length - 1;
  if (last < 0) return [];
  const marks = [...misses.map((miss) => missMark(miss, requests)), ...changes.map((one) => changeMark(one, requests))];
  return marks
    .map((mark) => (mark.request === -1 ? { ...mark, request: last } : mark))
    .sort((a, b) => a.request - b.request);
}

function missMark(miss: Miss, requests: readonly Paid[]): PageMark {
  const where = miss.segment === undefined ? '' : ` (from ${miss.segment} on)`;
  return {
    kind: miss.planned ? 'planned' : 'miss',
    request: requests.findIndex(({ requestId }) => requestId === miss.requestId),
    tokens: miss.tokens,
    money: miss.costPico === null ? 'unpriced' : dollars(miss.costPico),
    by: blames[miss.blame],
    says: sanitiseLine(`${miss.says}${where}`),
  };
}

function changeMark({ kind, seq, says }: Change, requests: readonly Paid[]): PageMark {
  return {
    kind: changeKinds[kind],
    request: requests.findIndex((request) => request.seq > seq),
    tokens: null,
    money: '',
    by: kind === 'modelChanged' ? 'you' : 'zerd',
    says: sanitiseLine(says),
  };
}

type Carried = SessionCost['carried'][number];

function isResult({ kind }: Carried): boolean {
  return kind === 'result' || kind === 'skill';
}

function pageCarried({ kind, label, tokens, requests, costPico }: Carried): PageCarried {
  return { kind, label: sanitiseLine(label), tokens, requests, money: dollars(costPico) };
}
