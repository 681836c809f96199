/**
 * A provider is a wire at an endpoint. `encode` and the wire's `decode` are pure; only `transport` touches the network.
 * Invariant: a stream never throws and ends with exactly one terminal event, except after an abort, when it just ends.
 */
import type { ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { DiagnosisKind } from '@zerd/core/model/cache-facts';
import type { ModelSettings, Prompt } from '@zerd/core/model/prompt';
import type { Segment } from '@zerd/protocol/common/event';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Clock } from '@zerd/protocol/node/clock';

export type Wire = 'anthropic' | 'responses' | 'chat';

/** Where a wire is spoken. The key is held in memory only and is never part of a message, a log or an error. */
export interface Endpoint {
  readonly wire: Wire;
  /** What the official SDK takes; undefined: the vendor's own. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Gives the access token of a sign-in, renewed before it ends; in the place of `apiKey`, asked anew by each attempt. */
  readonly token?: AccessToken;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether `prompt_cache_key` is sent; absent: the chat wire sends it to OpenAI's own API alone, as others may refuse it. */
  readonly promptCacheKey?: boolean;
  /** Whether the chat wire reads calls that arrive as text; absent: everywhere but at OpenAI's own API. */
  readonly leakedCalls?: boolean;
  /** The responses wire as ChatGPT's backend for coding clients speaks it; the key is then its access token. */
  readonly codex?: boolean;
  /** OpenAI's API as a ChatGPT plan pays for it: it refuses some parameters, and divides its cache by session. */
  readonly plan?: boolean;
  /** How this endpoint is asked why it read less from its cache than expected; absent: it is not asked. */
  readonly diagnosis?: DiagnosisKind;
  /** How its connections leave the machine; absent: directly, trusting the built-in authorities. */
  readonly network?: Network;
}

export type AccessToken = () => Promise<{ readonly access: string } | { readonly failure: ProviderFailure }>;

/** As the client's environment has it. */
export interface Network {
  /** For addresses of http and of https: URLs, `http://` may be left out. */
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts that are reached directly, as NO_PROXY lists them. */
  readonly noProxy?: string;
  /** Certificates in PEM, trusted besides. */
  readonly extraCa?: string;
}

/** Milliseconds. Pings are no progress: they reset none of these. */
export interface Deadlines {
  readonly connectMs: number;
  readonly firstEventMs: number;
  readonly betweenEventsMs: number;
  readonly totalMs: number;
}

/** Long enough for a model that thinks, short enough that a dead connection is noticed while someone waits. */
export const defaultDeadlines: Deadlines = {
  connectMs: 10_000,
  firstEventMs: 60_000,
  betweenEventsMs: 90_000,
  totalMs: 600_000,
};

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  /** Told each time the stream begins to wait for something else: what ('connection', 'first event', 'next event') and until when (clock.now()). */
  readonly onWait?: (what: string, deadline: number) => void;
  /** Told at most once, when no answer comes of it but it may be charged: what was reported by then; else `reported` is false. */
  readonly onSpent?: (usage: Usage) => void;
  /** The bytes of an image as base64; undefined: they are gone, and the image is named. Absent: there are none. */
  readonly imageData?: ImageData;
}

export type ImageData = (id: ArchiveId) => Promise<string | undefined>;

export interface Provider {
  /** The whole body, but for the bytes of images, which it names. Same prompt and settings: the same bytes when serialised with JSON.stringify, in any process. */
  encode(prompt: Prompt, settings: ModelSettings): JsonObject;
  /** The body in parts that are equal exactly when the provider's cached prefix is: tools, system, each message. */
  segments(body: JsonObject): readonly Segment[];
  stream(body: JsonObject, options: StreamOptions): AsyncIterable<ModelEvent>;
}
