/** Writes frames as server-sent events; framing faults change the lines, never what they mean. */
import type { Frame } from '../speak/answer.ts';
import type { Fault } from './fault.ts';

const defaultLongLine = 5 * 1024 * 1024;

export function writeFrames(frames: readonly Frame[], faults: readonly Fault[]): string {
  const has = (kind: Fault['kind']) => faults.some((fault) => fault.kind === kind);
  const long = faults.find((fault) => fault.kind === 'long-line');
  const longAt =
    long === undefined
      ? -1
      : Math.max(
          0,
          frames.findIndex((frame) => frame.part === 'output' || frame.part === 'toolInput'),
        );
  const texts = frames.map((frame, i) => {
    const data = i === longAt ? padded(frame.data, long?.bytes ?? defaultLongLine) : frame.data;
    const noise = i === 0 ? '' : noiseBetween(i, has);
    return `${noise}${frame.event === undefined ? '' : `event: ${frame.event}\n`}${dataLines(data, has('two-data-lines'))}\n\n`;
  });
  const ended = has('crlf')
    ? texts.map(toCrlf)
    : has('mixed-ends')
      ? texts.map((text, i) => (i % 2 === 0 ? text : toCrlf(text)))
      : texts;
  return `${has('bom') ? '\ufeff' : ''}${ended.join('')}`;
}

function noiseBetween(i: number, has: (kind: Fault['kind']) => boolean): string {
  return [
    has('comments') ? `: keep-alive ${i}\n: {"type":"error","error":{"message":"a comment is no event"}}\n\n` : '',
    has('junk-lines') ? `no colon here\nunknown: field\nid: ${i}\nretry: 10\n\n` : '',
    has('junk-data') ? 'data: <html>upstream hiccup</html>\n\n' : '',
  ].join('');
}

/** Two lines are joined by a line break, which JSON allows after its first brace. */
function dataLines(data: string, two: boolean): string {
  return two && data.startsWith('{') ? `data: {\ndata: ${data.slice(1)}` : `data: ${data}`;
}

/** Spaces inside the JSON make the line so long without changing what it says. */
function padded(data: string, bytes: number): string {
  return data.startsWith('{') ? `{${' '.repeat(Math.max(0, bytes - Buffer.byteLength(data)))}${data.slice(1)}` : data;
}

function toCrlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}
