import { expect, test } from '@jest/globals';
import { outsideTools } from '@zerd/core/mcp/catalogue';
import type { McpServer } from '@zerd/core/mcp/server';
import type { ToolDeclaration } from '@zerd/core/model/prompt';
import { declareTools } from '@zerd/core/tools/declarations';
import { turnIdSchema } from '@zerd/protocol/common/ids';
import { createProvider } from '@zerd/providers/create-provider';
import { forge } from '../../../../test/support/outside/forge.ts';
import { browser, database, notebook } from '../../../../test/support/outside/notes-and-browser.ts';
import { anthropicBlocks } from '../../src/weigh/blocks.ts';
import { loadTokenizer } from '../../src/weigh/tokens.ts';
import type { Json } from '../../src/wire.ts';

const tokenizer = await loadTokenizer();
const tokens = (text: string) => tokenizer.count(text).tokens.length;
const provider = createProvider({ wire: 'anthropic', baseUrl: 'http://127.0.0.1:9' });

/** Of a tool block, as it is sent. */
function blockTokens(tools: readonly ToolDeclaration[]): number {
  const body = provider.encode(
    { system: '', tools, messages: [], marks: [], cacheKey: 'k' },
    { modelId: 'sim', maxOutput: 1_000 },
  );
  return anthropicBlocks(body as Json).reduce((sum, { text }) => sum + tokens(text), 0);
}

const own = blockTokens(declareTools(['mcp']));

function declared(servers: readonly McpServer[]): number {
  const tools = servers.flatMap(({ name, state }) =>
    state.kind === 'ready' ? state.tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` })) : [],
  );
  return blockTokens([...declareTools(['mcp']), ...tools]) - own;
}

/** In all, of windows of 200,000 and of 32,000. */
function told(servers: readonly McpServer[], limit: number): number {
  const reminder = outsideTools(servers, new Map(), { turnId: turnIdSchema.parse('turn_1'), tokens: limit });
  return blockTokens(declareTools()) - own + tokens(`<system-reminder>\n${reminder?.text}\n</system-reminder>`);
}

function check(
  servers: readonly McpServer[],
  expected: Record<'tools' | 'declared' | 'told' | 'toldOfSmallWindow', number>,
): void {
  const tools = servers.reduce((sum, { state }) => sum + (state.kind === 'ready' ? state.tools.length : 0), 0);
  const found = {
    tools,
    declared: declared(servers),
    told: told(servers, 1_500),
    toldOfSmallWindow: told(servers, 320),
  };
  expect(found).toEqual(expected);
}

test('complaints 2.1: what outside tools take of every request, in tokens, against declaring each of them', () => {
  check([notebook], { tools: 10, declared: 1_054, told: 349, toldOfSmallWindow: 349 });
  check([browser, database], { tools: 40, declared: 4_378, told: 1_201, toldOfSmallWindow: 281 });
  check([forge], { tools: 150, declared: 22_527, told: 746, toldOfSmallWindow: 155 });
  check([notebook, browser, database, forge], { tools: 200, declared: 27_959, told: 1_197, toldOfSmallWindow: 345 });
});
