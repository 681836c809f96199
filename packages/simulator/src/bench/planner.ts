/** `npm run bench:planner [-- --json]`: how long planning and rendering take in a session of 500 requests, medians in ms. */
import { planRelief } from '@zerd/core/context/relieve/plan-relief';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { viewSession } from '@zerd/core/context/relieve/session-view';
import { defaultWindow } from '@zerd/core/context/relieve/view';
import { renderPrompt } from '@zerd/core/context/render';
import { grownSession } from './planner/grown-session.ts';
import { readOptions } from './read-options.ts';

readOptions('planner -- [--json]', { json: { type: 'boolean' } });

const requests = 500;
const rounds = 101;

const state = grownSession(requests);
const model = plannerModel({ wire: 'anthropic', contextWindow: 1_000_000, maxOutput: 32_000, price: null, row: null });

/** The first round pays for what later ones remember, as a daemon's first request after a start does; the median does not. */
const planMs = medianOf(() => {
  planRelief(viewSession(state, { model, now: state.lastAt, window: defaultWindow, compacts: true }).view);
});
const renderMs = medianOf(() => {
  renderPrompt(state, 'key');
});
console.log(JSON.stringify({ bench: 'planner', requests, planMs, renderMs }));

function medianOf(work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  }).sort((a, b) => a - b);
  return Number((times[Math.floor(rounds / 2)] ?? Number.NaN).toFixed(3));
}
