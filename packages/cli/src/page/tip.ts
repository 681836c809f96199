/** What is told of the request under the pointer: its numbers and what happened there, beside the pointer. */
import type { CostPage } from '../present/cost-page-shape.ts';
import { type Chart, charts } from './chart-list.ts';
import { element } from './element.ts';
import { markNames } from './marks.ts';

export interface Tip {
  show(request: number, event: MouseEvent): void;
  hide(): void;
}

export function makeTip(page: CostPage, into: HTMLElement): Tip {
  const box = element('div', 'tip');
  box.hidden = true;
  into.append(box);
  let shown = -1;
  return {
    show(request, event) {
      if (page.requests[request] === undefined) return;
      if (shown !== request) box.replaceChildren(...linesOf(page, request));
      shown = request;
      box.hidden = false;
      const { innerWidth, innerHeight } = window;
      const { offsetWidth, offsetHeight } = box;
      const left =
        event.clientX + 16 + offsetWidth > innerWidth ? event.clientX - offsetWidth - 16 : event.clientX + 16;
      box.style.left = `${Math.max(4, left)}px`;
      box.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - offsetHeight - 4))}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
}

function linesOf({ requests, marks }: CostPage, at: number): readonly HTMLElement[] {
  const request = requests[at];
  if (request === undefined) return [];
  const { id, model, purpose, output } = request;
  const head = [`request ${at + 1}`, purpose, new Date(request.at).toLocaleString()].filter((word) => word !== '');
  return [
    element('b', '', head.join(', ')),
    element('div', 'faint', `${id}, ${model}`),
    ...charts.map((chart) => element('div', '', valuesLine(chart, chart.values(request)))),
    ...(output === null ? [] : [element('div', '', `out: ${output} tokens`)]),
    ...marks
      .filter((mark) => mark.request === at)
      .map(({ kind, tokens, money, says }) => {
        const sizes = [tokens === null ? '' : `${tokens} tokens`, money].filter((word) => word !== '').join(', ');
        return element(
          'div',
          'happened',
          element('i', `mark ${kind}`),
          `${markNames[kind]}${sizes === '' ? '' : ` (${sizes})`}: ${says}`,
        );
      }),
  ];
}

function valuesLine({ title, layers, words }: Chart, values: readonly number[] | null): string {
  if (values === null) return `${title}: not known`;
  const named = layers.map(({ name }, layer) => [name, values[layer] ?? 0] as const).filter(([, value]) => value > 0);
  const total = values.reduce((sum, value) => sum + value, 0);
  return `${words(total)}${named.length < 2 ? '' : ` = ${named.map(([name, value]) => `${name} ${words(value)}`).join(' + ')}`}`;
}
