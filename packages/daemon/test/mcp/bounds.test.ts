/** What is kept of what a server writes is bounded, whatever it writes. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLineReader } from '../../src/mcp/line-reader.ts';
import { createTail } from '../../src/mcp/tail.ts';

test('lines come whole, whatever pieces they are read in, and one that is too long is the end', () => {
  const check = (chunks: readonly string[], expected: readonly string[]) => {
    const found: string[] = [];
    const read = createLineReader({ line: (text) => found.push(text), tooLong: () => found.push('TOO LONG') }, 6);
    for (const chunk of chunks) read(Buffer.from(chunk));
    expect(found).toEqual(expected);
  };
  check(['a\nb\n'], ['a', 'b']);
  check(['a', 'b', 'c\n', '\n  \nd'], ['abc']);
  check(['1234', '56\n'], ['123456']);
  check(['\u00e4'.repeat(3), '\n'], ['äää']);
  check(['a\n1234567\nb\n'], ['a', 'TOO LONG']);
  check(['1234', '567', '89\nb\n'], ['TOO LONG']);
});

test('where the pieces begin and end changes no line', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, (bytes) => {
      const linesOf = (chunks: readonly Buffer[]) => {
        const lines: string[] = [];
        const read = createLineReader({ line: (text) => lines.push(text), tooLong: () => lines.push('TOO LONG') }, 20);
        for (const chunk of chunks) read(chunk);
        return lines;
      };
      const chunks = bytes.map((piece) => Buffer.from(piece.map((byte) => (byte % 5 === 0 ? 0x0a : byte))));
      expect(linesOf(chunks)).toEqual(linesOf([Buffer.concat(chunks)]));
    }),
  );
});

test('of complaints the last few kB are kept', () => {
  const tail = createTail();
  for (let i = 0; i < 10_000; i += 1) tail.add(Buffer.from(`complaint ${i}\n`.repeat(10)));
  expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(4_096);
  expect(tail.text()).toMatch(/complaint 9999$/);
  tail.add(Buffer.alloc(100_000, 'x'));
  expect(tail.text()).toBe('x'.repeat(4_096));
});
