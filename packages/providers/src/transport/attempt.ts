/**
 * One attempt at one request: opens the stream, decodes it, keeps the deadlines, and ends exactly once. Invariants: it
 * never throws; an abort ends it at once and without a terminal event; a failure closes the connection; no message of a
 * failure holds a secret.
 */
import type { ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import type { Decoder } from '../decoder.ts';
import { placeIn } from '../failure/place.ts';
import { redact } from '../failure/redact.ts';
import { failureOf, type Phase } from '../failure/thrown.ts';
import { putImages } from '../images.ts';
import type { AccessToken, Network, StreamOptions } from '../provider.ts';
import { chargedFor } from './charged.ts';
import type { OpenStream } from './clients.ts';
import type { Connections } from './connections.ts';
import { startWaits, type Waits } from './deadlines.ts';
import { attemptFetch } from './fetch.ts';
import { type Mailbox, mailbox } from './mailbox.ts';
import { proxyPlace } from './network.ts';

export interface AttemptParts<S> {
  readonly decoder: Decoder<S>;
  readonly open: OpenStream;
  readonly connections: Connections;
  readonly apiKey: string | undefined;
  readonly token: AccessToken | undefined;
  readonly secrets: readonly string[];
  readonly network: Network | undefined;
}

export async function* streamAttempt<S>(
  parts: AttemptParts<S>,
  body: JsonObject,
  options: StreamOptions,
): AsyncGenerator<ModelEvent> {
  if (options.signal.aborted) return;
  const attempt = startAttempt(parts, body, options);
  try {
    yield* attempt.events;
  } finally {
    attempt.abandon();
  }
}

/** After these the idle connections may be as dead as the one that failed. */
const suspect: ReadonlySet<string> = new Set(['provider_unreachable', 'provider_timeout', 'provider_truncated']);

interface Attempt {
  readonly events: Mailbox<ModelEvent>;
  /** Ends without a terminal event; nothing happens when it has ended. */
  abandon(): void;
}

function startAttempt<S>(parts: AttemptParts<S>, body: JsonObject, options: StreamOptions): Attempt {
  const events = mailbox<ModelEvent>();
  const network = new AbortController();
  const secrets = [...parts.secrets];
  let state = parts.decoder.initialState;
  let phase: Phase = 'connecting';
  let place: string | undefined;
  let proxy: string | undefined;
  let ended = false;
  let reported: ProviderFailure | undefined;

  function end(terminal?: ModelEvent): void {
    if (ended) return;
    ended = true;
    waits.stop();
    options.signal.removeEventListener('abort', abandon);
    const spent = chargedFor(phase, terminal, parts.decoder.spent?.(state));
    if (spent !== undefined) options.onSpent?.(spent);
    if (terminal !== undefined) events.put(withoutSecrets(terminal, secrets));
    events.close();
    if (terminal?.kind === 'finished') return;
    network.abort();
    if (terminal?.kind === 'failed' && suspect.has(terminal.failure.code)) parts.connections.renew();
  }

  function abandon(): void {
    end();
  }

  /** An answer that is complete but for the stream's end is no failure. */
  function expired(failure: ProviderFailure): void {
    const whole = parts.decoder.atEnd(state).find((event) => event.kind === 'finished');
    end(whole ?? { kind: 'failed', failure });
  }

  function take(chunk: JsonValue): void {
    const [next, news] = parts.decoder.decode(state, chunk);
    state = next;
    if (news.length === 0 || news.some((event) => event.kind !== 'alive')) waits.progress();
    for (const event of news) {
      if (event.kind === 'finished' || event.kind === 'failed') end(event);
      else events.put(event);
    }
  }

  async function pump(): Promise<void> {
    const key = await keyFor(parts);
    if ('failure' in key) return end({ kind: 'failed', failure: key.failure });
    if (ended) return;
    if (key.access !== undefined) secrets.push(key.access);
    const whole = await putImages(body, options.imageData);
    if (ended) return;
    const stream = await parts.open(whole, attemptFetch(parts.connections, watch), network.signal, key.access);
    // A finished answer is read to the stream's end all the same, so that its connection can be used again.
    for await (const chunk of stream) {
      if (!ended) take(chunk);
      await events.drained();
    }
    for (const event of parts.decoder.atEnd(state)) end(event);
  }

  const watch = {
    clock: options.clock,
    alive: () => events.put({ kind: 'alive' }),
    failed: (failure: ProviderFailure) => {
      reported ??= failure;
    },
    addressed: (url: string) => {
      place = placeIn(url);
      proxy = proxyPlace(url, parts.network);
    },
    connected: () => {
      phase = 'waiting';
      if (!ended) waits.connected();
    },
    answered: () => {
      phase = 'reading';
    },
  };
  const waits: Waits = startWaits(options, expired, () => place);
  options.signal.addEventListener('abort', abandon, { once: true });
  pump().catch((thrown: unknown) =>
    end({ kind: 'failed', failure: reported ?? failureOf(thrown, phase, place, proxy) }),
  );
  return { events, abandon };
}

async function keyFor<S>({ token, apiKey }: AttemptParts<S>) {
  return token === undefined ? { access: apiKey } : await token();
}

function withoutSecrets(event: ModelEvent, secrets: readonly string[]): ModelEvent {
  if (event.kind !== 'failed') return event;
  return { ...event, failure: { ...event.failure, message: redact(event.failure.message, secrets) } };
}
