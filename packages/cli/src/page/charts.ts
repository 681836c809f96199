/**
 * The charts, one below the other over the same requests: zooming or pointing in one does so in all. Invariant: the order
 * of layers, colours and legend is the same everywhere.
 */
import uPlot from 'uplot';
import type { CostPage } from '../present/cost-page-shape.ts';
import { type Chart, charts } from './chart-list.ts';
import { element } from './element.ts';
import { heightOf, lanesOf, markLines, markNames, markSymbols } from './marks.ts';
import { stackSteps } from './stack.ts';
import { colour } from './theme.ts';
import type { Tip } from './tip.ts';

export interface Drawn {
  readonly plots: readonly uPlot[];
  showAll(): void;
  /** Shows the requests around one. */
  showAround(request: number): void;
}

export function drawCharts(page: CostPage, into: HTMLElement, tip: Tip): Drawn {
  const plots: uPlot[] = [];
  const zoom = (min: number, max: number) => {
    for (const { scales, setScale } of plots)
      if (scales.x?.min !== min || scales.x.max !== max) setScale('x', { min, max });
  };
  for (const chart of charts) {
    const place = element('div', 'plot');
    into.append(element('h2', '', chart.title), legend(chart, page, plots.length === 0), place);
    plots.push(draw(page, chart, place, { zoom, tip, symbols: plots.length === 0 }));
  }
  const count = page.requests.length;
  return {
    plots,
    showAll: () => zoom(0.5, count + 0.5),
    showAround: (request) => zoom(Math.max(0.5, request - 14.5), Math.min(count + 0.5, request + 16.5)),
  };
}

interface Around {
  readonly zoom: (min: number, max: number) => void;
  readonly tip: Tip;
  readonly symbols: boolean;
}

function draw(page: CostPage, chart: Chart, place: HTMLElement, { zoom, tip, symbols }: Around): uPlot {
  const { requests, marks } = page;
  const data = stackSteps(requests.map(chart.values), chart.layers.length);
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: chart.height,
    padding: [10 + (symbols ? heightOf(lanesOf(marks)) : 0), 20, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: true },
      sync: { key: 'requests', filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } },
    },
    scales: {
      x: { time: false, range: (_, min, max) => [min ?? 0.5, max ?? 1.5] },
      y: { range: (_, __, max) => [0, (max ?? 0) > 0 ? 1.05 * max : 1] },
    },
    axes: [
      axis({
        label: 'request',
        values: (_, splits) => splits.map(String),
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
        size: 34,
      }),
      {
        ...axis({ size: 70 }),
        values: (_, splits) => splits.map(chart.words),
      },
    ],
    series: [
      {},
      ...chart.layers
        .toReversed()
        .map((layer) => ({ fill: () => colour(layer.colour), width: 0, points: { show: false } })),
    ],
    hooks: { setScale: [({ scales }, key) => key === 'x' && zoom(scales.x?.min ?? 0, scales.x?.max ?? 0)] },
    plugins: [
      markLines(marks),
      ...(symbols ? [markSymbols(marks, (mark, event) => tip.show(mark.request, event))] : []),
    ],
  };
  const plot = new uPlot(options, data as unknown as uPlot.AlignedData, place);
  plot.over.addEventListener('mousemove', (event) => {
    tip.show(Math.round(plot.posToVal(event.offsetX, 'x')) - 1, event);
  });
  plot.root.addEventListener('mouseleave', tip.hide);
  return plot;
}

function axis(more: uPlot.Axis): uPlot.Axis {
  const faint = () => colour('grid');
  const font = '12px system-ui, sans-serif';
  const line = { stroke: faint, width: 1 };
  return {
    stroke: () => colour('text'),
    font,
    labelFont: font,
    labelSize: 18,
    grid: line,
    ticks: { ...line, size: 4 },
    ...more,
  };
}

/** Of what there is; that of the first chart explains the marks too. */
function legend({ layers, values }: Chart, { requests, marks }: CostPage, first: boolean): HTMLElement {
  const there = layers.filter((_, layer) => requests.some((request) => (values(request)?.[layer] ?? 0) > 0));
  return element(
    'p',
    'legend',
    ...there.map(({ name, colour: of }) => element('span', '', element('i', `swatch ${of}`), name)),
    ...(first ? lanesOf(marks) : []).map((kind) => element('span', '', element('i', `mark ${kind}`), markNames[kind])),
  );
}
