/**
 * Keeps what servers say of their windows where neither the catalogue nor the user's file does. Invariants: each model is
 * asked about once for the life of the daemon, a turn waits no longer than the probe's own deadline, and where nothing is
 * said the window stays unknown, which is remembered for a while.
 */
import { outputWithin } from '@zerd/core/context/relieve/ceiling';
import type { Clock } from '@zerd/protocol/node/clock';
import { type ProbedWindow, probeWindow } from '@zerd/providers/transport/probe-window';
import type { ResolvedModel } from '../config/models.ts';

/** A model with the kind of server that told its window; absent: nobody was asked, or nobody said. */
export interface WindowedModel extends ResolvedModel {
  readonly windowFrom?: string;
}

type About = Pick<ResolvedModel, 'endpoint' | 'modelId' | 'contextWindow'>;

export interface ProbedWindows {
  /** The model with its window, which is asked for if need be. Never rejects. */
  complete(model: ResolvedModel): Promise<WindowedModel>;
  /** The same with what is known already; asks nobody. */
  known<M extends ResolvedModel>(model: M): M & WindowedModel;
  /** The user is about to change it: it is asked for again before the next turn. */
  doubt(model: About): void;
}

/** Where asking takes no time: a server that loads its models late says more a minute after. */
const nearMs = 60_000;
const farMs = 3_600_000;
const near = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|10\.[\d.]+|192\.168\.[\d.]+|172\.(1[6-9]|2\d|3[01])\.[\d.]+)$/;

interface Asked {
  readonly asking: Promise<void>;
  found: ProbedWindow | undefined;
  /** By `clock.now()`; undefined: for ever, or it is being asked. */
  askAgainAt: number | undefined;
}

export function createProbedWindows(clock: Clock, probe: typeof probeWindow = probeWindow): ProbedWindows {
  const all = new Map<string, Asked>();

  function known<M extends ResolvedModel>(model: M): M & WindowedModel {
    const found = isUnknown(model) ? all.get(keyOf(model))?.found : undefined;
    if (found === undefined) return model;
    const maxOutput = outputWithin(found.tokens, model.maxOutput);
    return { ...model, contextWindow: found.tokens, maxOutput, windowFrom: found.server };
  }

  function ask(model: ResolvedModel): Promise<void> {
    const { endpoint, modelId } = model;
    const earlier = all.get(keyOf(model));
    if (earlier && (earlier.askAgainAt === undefined || clock.now() < earlier.askAgainAt)) return earlier.asking;
    const asking = probe(endpoint, modelId, clock).then((found) => {
      asked.found = found;
      if (found === undefined) asked.askAgainAt = clock.now() + (near.test(hostOf(model)) ? nearMs : farMs);
    });
    const asked: Asked = { asking, found: earlier?.found, askAgainAt: undefined };
    all.set(keyOf(model), asked);
    return asking;
  }

  return {
    known,
    async complete(model) {
      if (isUnknown(model)) await ask(model);
      return known(model);
    },
    doubt(model) {
      const asked = all.get(keyOf(model));
      if (asked !== undefined) asked.askAgainAt = clock.now();
    },
  };
}

/** The vendors' own addresses and ChatGPT's backend say nothing of the kind. */
function isUnknown({ contextWindow, endpoint }: About): boolean {
  return contextWindow === null && endpoint.baseUrl !== undefined && endpoint.codex !== true;
}

function keyOf({ endpoint, modelId }: About): string {
  return `${endpoint.baseUrl} ${modelId}`;
}

function hostOf({ endpoint: { baseUrl = '' } }: About): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
}
