/** The page of a session's cost: reads what stands in it and draws that. It asks nobody for anything. */
import type { CostPage } from '../present/cost-page-shape.ts';
import { drawCharts } from './charts.ts';
import { element } from './element.ts';
import { tables } from './tables.ts';
import { onThemeChange } from './theme.ts';
import { makeTip } from './tip.ts';

/** What a sheet of A4 holds, in pixels. */
const paperWidth = 680;

const page = JSON.parse(document.getElementById('cost')?.textContent ?? '{}') as CostPage;
document.title = `Cost of ${page.sessionId}`;
const main = element('main', '', ...head());
document.body.append(main);
if (page.requests.length === 0) main.append(element('p', '', 'No request was sent yet.'));
else fill();

function head(): readonly HTMLElement[] {
  const { sessionId, writtenAt, version, figures, notes, advice } = page;
  return [
    element('h1', '', `What ${sessionId} cost`),
    element(
      'dl',
      'figures',
      ...figures.map(([label, value]) => element('div', '', element('dt', '', label), element('dd', '', value))),
    ),
    ...notes.map((note) => element('p', 'note', note)),
    ...(advice.length === 0 ? [] : [element('ul', 'advice', ...advice.map((text) => element('li', '', text)))]),
    element('p', 'faint', `Written ${new Date(writtenAt).toLocaleString()} by zerd ${version}.`),
  ];
}

function fill(): void {
  const all = element('button', '', 'Show all');
  main.append(element('p', 'faint screen', 'Drag over a chart to zoom. ', all));
  const place = element('section', 'charts');
  main.append(place);
  const drawn = drawCharts(page, place, makeTip(page, main));
  all.addEventListener('click', drawn.showAll);
  const show = (request: number) => {
    drawn.showAround(request);
    place.scrollIntoView({ block: 'start' });
  };
  main.append(...tables(page, show));
  const fit = (width: number) => {
    for (const plot of drawn.plots) plot.setSize({ width, height: plot.height });
  };
  new ResizeObserver(() => fit(place.clientWidth)).observe(place);
  onThemeChange((paper) => fit(paper ? paperWidth : place.clientWidth));
}
