import { expect, test } from '@jest/globals';
import { openModelRules } from '@zerd/core/context/open-models';
import { systemPrompt } from '@zerd/core/context/system-prompt';
import type { Prompt } from '@zerd/core/model/prompt';
import { declareTools } from '@zerd/core/tools/declarations';
import { createProvider } from '@zerd/providers/create-provider';
import { anthropicBlocks, chatBlocks, responsesBlocks } from '../../src/weigh/blocks.ts';
import { loadTokenizer } from '../../src/weigh/tokens.ts';
import type { Json } from '../../src/wire.ts';

const tokenizer = await loadTokenizer();
const tokens = (text: string) => tokenizer.count(text).tokens.length;
const prompt = (system: string): Prompt => ({ system, tools: declareTools(), messages: [], marks: [], cacheKey: 'k' });
const wires = { anthropic: anthropicBlocks, responses: responsesBlocks, chat: chatBlocks };

/** What is larger than it may be, and by how much. */
function check(what: string, is: number, most: number): void {
  const over = is <= most ? 'fits' : `${what} is ${is}, ${is - most} above its ceiling of ${most}: shorten it`;
  expect(over).toBe('fits');
}

test('complaints 2.1: the system text stays below 3,000 tokens, with the rules for open models too', () => {
  check('the system text (core/context/system-prompt), in tokens,', tokens(systemPrompt), 3_000);
  check('the system text for open models, in tokens,', tokens(systemPrompt + openModelRules), 3_000);
  check('what open models are told besides (core/context/open-models), in tokens,', tokens(openModelRules), 120);
});

test.each(Object.entries(wires))(
  'complaints 2.1: over %s the fixed cost stays below 2,700 tokens, its tools below 5,000 bytes',
  (wire, blocksOf) => {
    const provider = createProvider({ wire: wire as keyof typeof wires, baseUrl: 'http://127.0.0.1:9' });
    const body = provider.encode(prompt(systemPrompt), { modelId: 'sim', maxOutput: 1_000 });
    check('the tool block (core/tools/declarations), in bytes,', Buffer.byteLength(JSON.stringify(body.tools)), 5_000);
    const fixed = blocksOf(body as Json).reduce((sum, block) => sum + tokens(block.text), 0);
    check('system text and tools together, in tokens,', fixed, 2_700);
  },
);
