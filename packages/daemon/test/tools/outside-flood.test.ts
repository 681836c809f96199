/** I4, I8: an answer of an outside tool that is made of a great many parts is bounded, and says what was left. */
import { expect, test } from '@jest/globals';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { png } from '../../../../test/support/images.ts';
import { ready } from '../../../../test/support/outside/declare.ts';
import type { ToolContext } from '../../src/base/ports.ts';
import { answerText } from '../../src/tools/mcp/answer-text.ts';
import { run } from '../../src/tools/mcp/run.ts';
import { fakeMcp } from '../support/fake-mcp.ts';

test('of a thousand parts that are no text a hundred are kept, and the rest is counted where they end', async () => {
  const kept: Uint8Array[] = [];
  const keep = async (bytes: Uint8Array) => {
    kept.push(bytes);
    return 'abcdef0123456789' as ArchiveId;
  };
  const parts = Array.from({ length: 1_000 }, () => ({
    kind: 'binary' as const,
    type: 'x/y',
    bytes: new Uint8Array(2),
  }));
  const said = await answerText([{ kind: 'text', text: 'first' }, ...parts, { kind: 'text', text: 'last' }], keep);
  const lines = said.split('\n');
  expect(kept).toHaveLength(100);
  expect(lines).toHaveLength(103);
  expect(lines.filter((line) => line === '[x/y, 2 bytes, kept as abcdef012345]')).toHaveLength(100);
  expect(lines.slice(-2)).toEqual(['last', '[and 900 more that are no text and were not kept: 100 of an answer are]']);
});

test('the images of an answer that are shown weigh no more than those of a message', async () => {
  const heavy = (colour: number) => new Uint8Array(Buffer.concat([png(9, 9, colour), Buffer.alloc(4_000_000)]));
  const content = [1, 2, 3].map((colour) => ({ kind: 'binary' as const, type: 'image/png', bytes: heavy(colour) }));
  const tool = { name: 'look', description: '', inputSchema: { type: 'object' } };
  const context = {
    outside: fakeMcp([ready('camera', [tool])], () => ({ outcome: 'ok', content })),
    signal: new AbortController().signal,
    archive: { put: async () => 'abcdef0123456789' as ArchiveId },
  } as unknown as ToolContext;
  const result = await run({ tool: 'camera/look', arguments: {} }, context);
  expect(result.images?.map(({ bytes }) => bytes)).toEqual([heavy(1), heavy(2)]);
  expect(result.body.kind === 'text' && result.body.text.split('\n')).toHaveLength(3);
});
