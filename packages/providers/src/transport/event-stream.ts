/**
 * Stands between the socket and the SDK's parser: reports signs of life that the SDKs hide, refuses what is no event
 * stream (the SDKs skip it in silence), and hands on plain frames, so that every server's line ends read alike. After the
 * last frame the output ends, whether or not the server closes, and the rest is read away so that the connection lives on.
 */
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { Clock } from '@zerd/protocol/node/clock';
import { malformed } from '../failure/thrown.ts';
import { lineSplitter } from './lines.ts';

export interface StreamWatch {
  readonly clock: Clock;
  /** A ping or a comment came. */
  alive(): void;
  /** Called before the stream breaks with an error. */
  failed(failure: ProviderFailure): void;
}

/** No answer is larger: beyond it somebody is filling our memory. */
const mostBytes = 64 * 1024 * 1024;
/** How long the rest of a finished answer may take before its connection is given up. */
const drainMs = 1000;

type Source = ReadableStreamDefaultReader<Uint8Array>;

export function watchEventStream(body: ReadableStream<Uint8Array>, watch: StreamWatch): ReadableStream<Uint8Array> {
  const source = body.getReader();
  const splitter = lineSplitter();
  const frames = frameFilter(watch);
  let bytes = 0;

  async function pull(out: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (true) {
      const { done, value } = await source.read();
      if (done) return out.close();
      bytes += value.length;
      if (bytes > mostBytes) refuse(`The answer exceeds ${mostBytes} bytes.`, watch);
      const { text, last } = frames(splitter.push(value));
      if (text.length > 0) out.enqueue(text);
      if (last) {
        out.close();
        drain(source, watch.clock);
      }
      if (last || text.length > 0) return;
    }
  }

  return new ReadableStream<Uint8Array>({ pull, cancel: (reason) => source.cancel(reason) }, { highWaterMark: 0 });
}

/** Never awaited: the answer is complete, only the connection's next use depends on it. */
function drain(source: Source, clock: Clock): void {
  const giveUp = () => void source.cancel().catch(() => {});
  const timer = clock.setTimer(drainMs, giveUp);
  const next = (): Promise<void> => source.read().then(({ done }) => (done ? undefined : next()));
  void next()
    .catch(() => {})
    .finally(() => timer[Symbol.dispose]());
}

function refuse(message: string, watch: StreamWatch): never {
  watch.failed(malformed(message));
  throw new Error(message);
}

const endOfLine = Buffer.from('\n');
const noStream = 'The endpoint sent no event stream (check baseUrl) but';

/** More than the message keeps, so that a secret is whole when it is taken out. */
function shown(line: Uint8Array): string {
  return Buffer.from(line.subarray(0, 4096)).toString('utf8');
}

/** What an answer's last frame is called, or says where frames have no names. */
const lastEvents = /^(message_stop|response\.(completed|incomplete|failed|done))$/;
const lastData = /^\s*(\[DONE\]\s*$|\{\s*"type"\s*:\s*"response\.(completed|incomplete|failed|done)")/;

/** All that the standard knows, and comments. */
const known: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry', '']);

/**
 * Passes on whole lines of frames that carry data and are no ping; `last` says that the answer's last frame is through. What
 * the standard does not know is passed over, but in front of all that it knows: then this is no stream of events.
 */
function frameFilter(
  watch: StreamWatch,
): (lines: readonly Uint8Array[]) => { readonly text: Uint8Array; readonly last: boolean } {
  let event = '';
  let hasData = false;
  let ending = false;
  let begun = false;

  function take(line: Uint8Array): readonly Uint8Array[] {
    const head = Buffer.from(line.subarray(0, 200)).toString('latin1');
    if (head === '') return endFrame();
    const [field = ''] = /^[^:]*/.exec(head) ?? [];
    begun ||= known.has(field);
    if (field === 'data') return data(line, head);
    if (field === 'event') event = head.slice(6).trim();
    else if (field === '') watch.alive();
    else if (!begun && !/^[A-Za-z][\w-]*$/.test(field)) refuse(`${noStream}: ${shown(line)}`, watch);
    return [];
  }

  function data(line: Uint8Array, head: string): readonly Uint8Array[] {
    // Nothing is no JSON; as a part of one it is a line break.
    if (event === 'ping' || /^:?\s*$/.test(head.slice(4))) return [];
    const named = event === '' || hasData ? [] : [Buffer.from(`event: ${event}`), endOfLine];
    hasData = true;
    ending ||= lastEvents.test(event) || lastData.test(head.slice(5));
    return [...named, line, endOfLine];
  }

  function endFrame(): readonly Uint8Array[] {
    const whole = hasData;
    if (event !== '' && !hasData) watch.alive();
    event = '';
    hasData = false;
    return whole ? [endOfLine] : [];
  }

  return (lines) => {
    const out: Uint8Array[] = [];
    for (const line of lines) {
      out.push(...take(line));
      if (ending && !hasData) return { text: Buffer.concat(out), last: true };
    }
    return { text: Buffer.concat(out), last: false };
  };
}
