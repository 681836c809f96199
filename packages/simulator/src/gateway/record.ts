/** What the gateway remembers of a request. Keys are seen to be there and never kept. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Step } from '../players/player.ts';
import type { RequestView } from '../view/request-view.ts';
import type { TokenCounts } from '../weigh/weigh.ts';
import type { Json, Wire } from '../wire.ts';

export interface RecordedRequest {
  /** Counts from 1, refused ones too. */
  readonly n: number;
  /** Milliseconds by the gateway's clock. */
  readonly at: number;
  readonly wire: Wire;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** Bytes of the body as they came. */
  readonly bytes: number;
  /** An empty object when the body was no JSON object. */
  readonly body: Json;
  readonly conversation: RequestView;
  readonly tokens: TokenCounts;
  /** null: refused or never answered, so nothing was paid. */
  cache: {
    readonly read: number;
    readonly write: number;
    readonly write1h: number;
    readonly uncached: number;
  } | null;
  /** Tokens of the answer. */
  output: number;
  /** What is charged for it, in pico-dollars; null: nothing was paid. */
  billPico: number | null;
  /** What the player said; null when the request was refused before. */
  step: Step | null;
  /** Status of the response; null while there is none. */
  status: number | null;
  /** Why it was refused, in the provider's words. */
  refusal: string | null;
  /** The whole answer, its terminal event included, was handed over. */
  delivered: boolean;
}

const secrets: readonly string[] = ['authorization', 'x-api-key', 'api-key', 'cookie', 'proxy-authorization'];

export function withoutSecrets(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).map(([name, value]) => [
    name,
    secrets.includes(name) ? '[present]' : [value].flat().join(', '),
  ]);
  return Object.fromEntries(kept) as Record<string, string>;
}
