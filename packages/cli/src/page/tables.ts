/** The tables below the charts: what happened, and what was dear to carry. */
import { thousands } from '../present/cost-line.ts';
import type { CostPage, PageCarried, PageMark } from '../present/cost-page-shape.ts';
import { element } from './element.ts';
import { markNames } from './marks.ts';

type Cell = Node | string;

/** Where there is nothing to list, there is no table. `show` is asked for when the number of a request is clicked. */
export function tables(page: CostPage, show: (request: number) => void): readonly HTMLElement[] {
  const { marks, results, others } = page;
  return [
    ...section(
      'What happened to the prompt',
      ['request', 'what', 'tokens', 'cost', 'by', 'why'],
      marks.map(markRow(show)),
      'marks',
    ),
    ...section('The dearest results', carriedHead, results.map(carriedRow), 'results'),
    ...section('The dearest of the rest', carriedHead, others.map(carriedRow), 'others'),
  ];
}

function section(
  title: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  id: string,
): readonly HTMLElement[] {
  if (rows.length === 0) return [];
  const made = element(
    'table',
    '',
    element(
      'thead',
      '',
      element('tr', '', ...head.map((name) => element('th', numeric.has(name) ? 'number' : '', name))),
    ),
    element(
      'tbody',
      '',
      ...rows.map((row) =>
        element('tr', '', ...row.map((cell, at) => element('td', numeric.has(head[at] ?? '') ? 'number' : '', cell))),
      ),
    ),
  );
  made.id = id;
  return [element('h2', '', title), made];
}

const numeric: ReadonlySet<string> = new Set(['request', 'tokens', 'tokens at last', 'cost', 'carried by']);

function markRow(show: (request: number) => void): (mark: PageMark) => readonly Cell[] {
  return ({ kind, request, tokens, money, by, says }) => {
    const number = element('button', '', String(request + 1));
    number.addEventListener('click', () => show(request));
    const what = element('span', 'what', element('i', `mark ${kind}`), markNames[kind]);
    return [number, what, tokens === null ? '' : thousands(tokens), money, by, says];
  };
}

const carriedHead = ['what', 'kind', 'tokens at last', 'carried by', 'cost'];

function carriedRow({ label, kind, tokens, requests, money }: PageCarried): readonly Cell[] {
  return [label, kind, thousands(tokens), String(requests), money];
}
