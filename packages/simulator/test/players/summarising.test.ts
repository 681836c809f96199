import { afterEach, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../src/gateway/start.ts';
import { scriptPlayer } from '../../src/players/script.ts';
import { summarising, summaryText } from '../../src/players/summarising.ts';
import { loadTokenizer } from '../../src/weigh/tokens.ts';

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

async function ask(...texts: readonly string[]): Promise<string | undefined> {
  const body = { model: 'sim', messages: texts.map((content) => ({ role: 'user', content })) };
  const response = await fetch(`${gateway?.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k' },
    body: JSON.stringify(body),
  });
  const { choices } = (await response.json()) as { readonly choices: readonly { message: { content: string } }[] };
  return choices[0]?.message.content;
}

test('a summary has 350 tokens', async () => {
  expect((await loadTokenizer()).count(summaryText).tokens.length).toBe(350);
});

test('whoever asks for a summary gets it, and the script goes on where it was', async () => {
  gateway = await startGateway({
    player: summarising(scriptPlayer([{ text: 'one' }, { text: 'two' }, { text: 'three' }])),
  });
  expect([
    await ask('go'),
    await ask('go', 'Now summarize the conversation.'),
    await ask('go', 'Write a summary of this.'),
    await ask('<summary>as before</summary>', 'go on'),
    await ask('go', '<system-reminder>In summary: 3 results were cleared.</system-reminder>'),
    await ask('go', `A summary ${'that is long '.repeat(400)}`),
  ]).toEqual(['one', summaryText, summaryText, 'two', 'three', 'done']);
});
