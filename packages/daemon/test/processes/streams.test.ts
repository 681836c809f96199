import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createMessageLines } from '@zerd/daemon/processes/message-lines';
import { openOutputFile } from '@zerd/daemon/processes/output-file';
import { readOn, readOutput, takeBody, textFrom } from '@zerd/daemon/processes/read-output';
import fc from 'fast-check';

let folder: string;
let count = 0;
const newPath = () => join(folder, `spool-${count++}`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const limits = { kept: 32, seen: 8 };

let jobs = 0;

/** What a host wrote, in a folder of its own. */
function written(chunks: readonly Uint8Array[]) {
  const of = join(folder, `job-${jobs++}`);
  mkdirSync(of);
  const file = openOutputFile(of, limits);
  for (const chunk of chunks) file.write(chunk);
  file.close();
  return { of, count: file.count() };
}

async function spooled(chunks: readonly Uint8Array[]) {
  const { of, count } = written(chunks);
  const body = await takeBody(of, count, true, newPath, limits);
  rmSync(of, { recursive: true });
  return body;
}

/** What the file must hold of everything that was written. */
function kept(all: Buffer): Buffer {
  if (all.length <= 2 * limits.kept) return all;
  const note = `\n[${all.length - 2 * limits.kept} bytes are not kept here]\n`;
  return Buffer.concat([all.subarray(0, limits.kept), Buffer.from(note), all.subarray(-limits.kept)]);
}

test('F-20: whatever the chunks, the file holds both ends in order and the totals are true', async () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 50 }),
    fc.string({ maxLength: 20, unit: fc.constantFrom('a', 'é', '\n') }).map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 12 }), async (chunks) => {
      const all = Buffer.concat(chunks);
      const body = await spooled(chunks);
      if (body.kind === 'text') {
        expect(Buffer.from(body.text)).toEqual(all);
        return;
      }
      if (body.kind !== 'spool') throw new Error('a spool was expected');
      expect(readFileSync(body.file)).toEqual(kept(all));
      const lines = all.toString('latin1').split('\n').length - (all.at(-1) === 10 || all.length === 0 ? 1 : 0);
      expect([body.totalBytes, body.totalLines]).toEqual([all.length, lines]);
      if (body.tailText === '') expect(body.headText).toBe(all.toString('utf8'));
      else {
        const beyondStart = all.subarray(0, limits.seen).toString('utf8');
        expect(beyondStart.startsWith(body.headText) || body.headText.length <= limits.seen).toBe(true);
        expect(Buffer.byteLength(body.headText) + Buffer.byteLength(body.tailText)).toBeLessThanOrEqual(
          3 * 2 * limits.seen,
        );
      }
      rmSync(body.file);
      expect(readdirSync(folder)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('the ends are cut at line ends, and never inside a character', async () => {
  const body = await spooled([Buffer.from('ab\ncdefgh'), Buffer.alloc(60, '-'), Buffer.from('mnopq\nyz')]);
  expect(body).toMatchObject({ kind: 'spool', headText: 'ab\n', tailText: 'yz', totalBytes: 77, totalLines: 3 });
  const wide = await spooled([Buffer.from('é'.repeat(20)), Buffer.from(`x${'é'.repeat(20)}`)]);
  expect(wide).toMatchObject({ headText: 'éééé', tailText: 'éééé' });
});

test('any range is given as it was written, and what is no longer kept is said (F-20)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }),
      fc.nat(120),
      async (chunks, from) => {
        const all = Buffer.concat(chunks);
        const { of } = written(chunks);
        const { bytes, start } = await readOutput(of, from, from + 10, limits);
        expect(bytes).toEqual(all.subarray(start, start + bytes.length));
        if (all.length <= 2 * limits.kept && from < all.length) expect(start).toBe(from);
        const { text, total } = await textFrom(of, 0, limits);
        expect(total).toBe(all.length);
        if (all.length <= 2 * limits.seen) expect(text).toBe(all.toString('utf8'));
        rmSync(of, { recursive: true });
      },
    ),
    { numRuns: 200 },
  );
});

test('who reads on in order is given all that is kept, and learns by the offset what is not (F-20)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(200), fc.integer({ min: 1, max: 50 }), async (length, limit) => {
      const all = Buffer.from(Array.from({ length }, (_, index) => index % 256));
      const { of } = written([all]);
      const read: Buffer[] = [];
      for (let at = 0; at < length; ) {
        const { bytes, start } = await readOn(of, at, limit, limits);
        expect([bytes.length > 0, bytes.length <= limit]).toEqual([true, true]);
        expect(bytes).toEqual(all.subarray(start, start + bytes.length));
        read.push(bytes);
        at = start + bytes.length;
      }
      const kept =
        length <= 2 * limits.kept ? all : Buffer.concat([all.subarray(0, limits.kept), all.subarray(-limits.kept)]);
      expect(Buffer.concat(read)).toEqual(kept);
      rmSync(of, { recursive: true });
    }),
    { numRuns: 200 },
  );
});

test('what the disk refuses is told, with what it took (F-37)', async () => {
  const { of, count } = written([Buffer.from('begin\n')]);
  const body = await takeBody(of, { ...count, broken: 'ENOSPC' }, true, newPath, limits);
  expect(body).toEqual({ kind: 'text', text: 'begin\n\n[the output could not be kept: ENOSPC]\n' });
});

test('message lines come whole whatever the chunks, and a giant gives its beginning and its facts', () => {
  const giant = `{"type":"match","data":{"path":{"text":"x"},"lines":{"text":"${'a,\\"line_number\\":9'.repeat(900)}"},"line_number":7,"absolute_offset":0}}`;
  const lines = ['{"a":1}', 'é'.repeat(50), giant, '{"b":2}'];
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 }), (cuts) => {
      const seen: string[] = [];
      const feed = createMessageLines(
        {
          line: (line) => seen.push(line.toString()),
          giant: (start, facts) => seen.push(`${start.subarray(0, 15)} ${facts.subarray(0, 16)}`),
        },
        1_000,
      );
      const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      for (const [i, from] of bounds.slice(0, -1).entries()) feed(bytes.subarray(from, bounds[i + 1]));
      expect(seen).toEqual(['{"a":1}', 'é'.repeat(50), '{"type":"match" ,"line_number":7', '{"b":2}']);
    }),
  );
});
