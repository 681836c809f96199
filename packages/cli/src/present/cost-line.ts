/** Writes money and tokens in words. What has no price says "unpriced" and is never shown as 0 (I11). */

export interface Spent {
  readonly requests: number;
  /** Integer pico-dollars of the priced requests. */
  readonly costPico: number;
  readonly unpricedRequests: number;
  /** What requests may have cost besides whose tokens were not reported, or not all. */
  readonly estimatedPico?: number | undefined;
}

/** '$0.0123', 'unpriced', or both when only some requests have a price; '(about $0.0123, estimated)' behind it. */
export function money(spent: Spent): string {
  const { costPico, unpricedRequests, estimatedPico = 0 } = spent;
  const estimated = estimatedPico === 0 ? '' : ` (about ${dollars(estimatedPico)}, estimated)`;
  if (unpricedRequests === 0) return `${dollars(costPico)}${estimated}`;
  if (costPico === 0) return `unpriced${estimated}`;
  return `${dollars(costPico)} + ${counted(unpricedRequests, 'unpriced request')}${estimated}`;
}

/** Dollars from pico-dollars: cents above a dollar, else three significant digits. */
export function dollars(pico: number): string {
  const usd = pico / 1e12;
  if (usd === 0) return '$0';
  if (usd >= 1) return `$${usd.toFixed(2)}`;
  const digits = Math.min(12, 2 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(digits).replace(/0+$/, '')}`;
}

export interface Flow extends Spent {
  readonly requestBytes: number;
  readonly toolCalls: number;
  /** Requests that were answered. Without one neither tokens nor money are known. */
  readonly answered: number;
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** False: no request reported its tokens, so none are shown. */
  readonly reported: boolean;
}

/** '5 requests (31.2 kB), 7 tool calls, 12.1k tokens in (83 % cached), 640 out, $0.0123' */
export function costLine(flow: Flow): string {
  const sent = `${counted(flow.requests, 'request')} (${bytes(flow.requestBytes)})`;
  return [sent, counted(flow.toolCalls, 'tool call'), ...paid(flow)].join(', ');
}

function paid(flow: Flow): readonly string[] {
  if (flow.answered > 0) return [flow.reported ? tokens(flow) : 'tokens not reported', money(flow)];
  return [flow.requests > 0 ? 'none answered' : money(flow)];
}

function tokens(flow: Flow): string {
  const prompt = flow.uncached + flow.cacheRead + flow.cacheWrite;
  const share = prompt === 0 ? 0 : Math.round((100 * flow.cacheRead) / prompt);
  return `${thousands(prompt)} tokens in (${share} % cached), ${thousands(flow.output)} out`;
}

/** '1 request', '2 requests'. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** '640', '12.1k', '3.4M'. */
export function thousands(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** '812 B', '31.2 kB', '1.4 MB'. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 999_950 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** '0.02 s', '12.3 s', '2 min 5 s'. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
