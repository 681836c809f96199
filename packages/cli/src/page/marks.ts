/** The marks above a chart and their lines in it: what happened to the prompt, each kind in a lane and a shape of its own. */
import type uPlot from 'uplot';
import type { MarkKind, PageMark } from '../present/cost-page-shape.ts';
import { element } from './element.ts';
import { colour } from './theme.ts';

const markKinds: readonly MarkKind[] = ['miss', 'planned', 'trim', 'summary', 'model'];

export const markNames: Readonly<Record<MarkKind, string>> = {
  miss: 'miss',
  planned: 'rewrite on purpose',
  trim: 'trim',
  summary: 'summary',
  model: 'model changed',
};

const laneHeight = 12;

/** The kinds that are among `marks`, each in its lane. */
export function lanesOf(marks: readonly PageMark[]): readonly MarkKind[] {
  return markKinds.filter((kind) => marks.some((mark) => mark.kind === kind));
}

export function heightOf(lanes: readonly MarkKind[]): number {
  return lanes.length === 0 ? 0 : laneHeight * lanes.length + 4;
}

/** Puts the symbols of `marks` above the plot; `near` hears over which of them the pointer is. */
export function markSymbols(
  marks: readonly PageMark[],
  near: (mark: PageMark, event: MouseEvent) => void,
): uPlot.Plugin {
  const lanes = lanesOf(marks);
  const symbols = marks.map((mark) => {
    const symbol = element('span', `mark ${mark.kind}`);
    symbol.dataset.mark = mark.kind;
    symbol.addEventListener('mousemove', (event) => near(mark, event));
    return { mark, symbol };
  });
  return {
    hooks: {
      init: (plot) => plot.root.querySelector('.u-wrap')?.append(...symbols.map(({ symbol }) => symbol)),
      draw: (plot) => symbols.forEach(({ mark, symbol }) => void place(plot, mark, { symbol, lanes })),
    },
  };
}

interface Placing {
  readonly symbol: HTMLElement;
  readonly lanes: readonly MarkKind[];
}

function place({ over, valToPos, scales }: uPlot, { request, kind }: PageMark, { symbol, lanes }: Placing): void {
  const { min, max } = scales.x ?? {};
  const at = request + 1;
  symbol.hidden = typeof min !== 'number' || typeof max !== 'number' || at < min || at > max;
  symbol.style.left = `${over.offsetLeft + valToPos(at, 'x')}px`;
  symbol.style.top = `${over.offsetTop - heightOf(lanes) + laneHeight * lanes.indexOf(kind)}px`;
}

/** A thin line down each chart, one for every request that has a mark of a kind. */
export function markLines(marks: readonly PageMark[]): uPlot.Plugin {
  return {
    hooks: {
      draw({ ctx, bbox, valToPos, scales }) {
        const { min = 0, max = 0 } = scales.x ?? {};
        ctx.save();
        ctx.setLineDash([3, 3]);
        ctx.lineWidth = 1;
        for (const { request, kind } of marks) {
          const at = request + 1;
          if (at < (min ?? 0) || at > (max ?? 0)) continue;
          const left = Math.round(valToPos(at, 'x', true)) + 0.5;
          ctx.strokeStyle = colour(kind);
          ctx.beginPath();
          ctx.moveTo(left, bbox.top);
          ctx.lineTo(left, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
      },
    },
  };
}
