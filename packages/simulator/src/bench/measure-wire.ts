/** Plays one bench script through zerd and says what it cost on the wire. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRequest } from '../gateway/record.ts';
import { type Gateway, startGateway } from '../gateway/start.ts';
import { wireRows } from '../gateway/wires.ts';
import { scriptPlayer } from '../players/script.ts';
import { summarising } from '../players/summarising.ts';
import type { Wire } from '../wire.ts';
import type { BenchScript } from './bench-scripts.ts';
import { driveZerd } from './drive-zerd.ts';
import { makeBenchFolder } from './private-folder.ts';

/** The last line of the bench: exactly these fields. */
export interface WireFigures {
  readonly bench: 'wire';
  readonly script: string;
  readonly wire: Wire;
  readonly model: 'sim';
  readonly requests: number;
  /** Beyond one a step and one for the end. */
  readonly extraRequests: number;
  readonly requestBytes: number;
  readonly bytesPerRequest: number;
  readonly systemTokens: number;
  readonly toolsTokens: number;
  readonly peakTokens: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly uncached: number;
  readonly hitRate: number;
  readonly weighted: number;
  readonly trims: number;
  readonly compactions: number;
  /** Calls that the player made again because it no longer saw a result; fixed scripts make none. */
  readonly rereads: number;
  /** Only of scripts that edit. */
  readonly edits?: number;
  readonly editsOnDisk?: number;
}

/** `window`: the setting `context.window`. */
export async function measureWire(
  name: string,
  script: BenchScript,
  wire: Wire,
  window?: number,
): Promise<WireFigures> {
  const folder = makeBenchFolder(`${name}-${wire}`, script.files());
  const gateway = await startGateway({ player: summarising(scriptPlayer(script.steps)) });
  try {
    const basePath = wireRows.find((row) => row.wire === wire)?.basePath ?? '';
    const { prompt } = script;
    const setting = window === undefined ? {} : { window };
    const { kinds } = await driveZerd(folder, { wire, baseUrl: gateway.origin + basePath, ...setting }, prompt);
    refuseRefusals(gateway.requests);
    return { ...figuresOf(name, wire, gateway, script.steps.length + 1, kinds), ...editsIn(folder.repository, script) };
  } finally {
    await gateway.close();
    folder.remove();
  }
}

function figuresOf(
  script: string,
  wire: Wire,
  gateway: Gateway,
  expected: number,
  kinds: readonly string[],
): WireFigures {
  const { output: _, requests, requestBytes, hitRate, weighted, ...tokens } = gateway.weights();
  return {
    bench: 'wire',
    script,
    wire,
    model: 'sim',
    requests,
    extraRequests: requests - expected,
    requestBytes,
    bytesPerRequest: Math.round(requestBytes / Math.max(1, requests)),
    ...tokens,
    hitRate,
    weighted,
    trims: kinds.filter((kind) => kind === 'context.trimmed').length,
    compactions: kinds.filter((kind) => kind === 'context.compacted').length,
    rereads: 0,
  };
}

function editsIn(repository: string, { edits = [] }: BenchScript): Pick<WireFigures, 'edits' | 'editsOnDisk'> {
  if (edits.length === 0) return {};
  const there = edits.filter((edit) => {
    const text = readFileSync(join(repository, edit.path), 'utf8');
    return text.includes(edit.new) && !text.includes(edit.old);
  });
  return { edits: edits.length, editsOnDisk: there.length };
}

/** A figure that holds a refused request would be about something else. */
function refuseRefusals(requests: readonly RecordedRequest[]): void {
  const refused = requests.find((request) => request.refusal !== null);
  if (refused !== undefined) throw new Error(`request ${refused.n} was refused: ${refused.refusal}`);
}
