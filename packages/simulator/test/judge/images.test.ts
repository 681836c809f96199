import { expect, test } from '@jest/globals';
import { png } from '../../../../test/support/images.ts';
import { judgeAnthropic } from '../../src/judge/judge-anthropic.ts';
import { judgeChat } from '../../src/judge/judge-chat.ts';
import { judgeResponses } from '../../src/judge/judge-responses.ts';
import { viewAnthropic } from '../../src/view/view-anthropic.ts';
import { viewChat } from '../../src/view/view-chat.ts';
import { viewResponses } from '../../src/view/view-responses.ts';
import { anthropicBlocks } from '../../src/weigh/blocks.ts';
import { loadTokenizer } from '../../src/weigh/tokens.ts';

const issued = { reasoningOf: () => undefined, itemOf: () => undefined };
const small = png(30, 20).toString('base64');

const block = (data: string, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const url = (data: string, type = 'image/png') => `data:${type};base64,${data}`;
const hi = { role: 'user', content: 'hi' };

function anthropic(...content: readonly unknown[]) {
  return judgeAnthropic({ model: 'sim', max_tokens: 9, messages: [{ role: 'user', content }] }, issued, {})?.message;
}

function anthropicResult(content: unknown, more: object = {}) {
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content, ...more }] };
  return judgeAnthropic({ model: 'sim', max_tokens: 9, messages: [hi, call, result] }, issued, {})?.message;
}

const chat = (...content: readonly unknown[]) =>
  judgeChat({ model: 'sim', messages: [{ role: 'user', content }] }, issued, {})?.message;
const responses = (...content: readonly unknown[]) =>
  judgeResponses({ model: 'sim', store: false, input: [{ type: 'message', role: 'user', content }] }, issued, {})
    ?.message;

test('anthropic takes images in messages and in results, and refuses what is none, in its words', () => {
  const at = 'messages.0.content.0.image.source.base64';
  expect([
    anthropic(block(small)),
    anthropicResult([{ type: 'text', text: 'a' }, block(small)]),
    anthropicResult([block('?')]),
    anthropicResult([block(small)], { is_error: true }),
    anthropicResult([{ type: 'tool_use' }]),
    anthropic(block('archive:12')),
    anthropic(block('')),
    anthropic(block(small, 'image/bmp')),
    anthropic(block(small, 'image/gif')),
    anthropic(block(Buffer.from('no image at all').toString('base64'))),
    anthropic(block('A'.repeat(10_485_764))),
    anthropic(block(png(8_001, 1).toString('base64'))),
  ]).toEqual([
    undefined,
    undefined,
    'messages.2.content.0.tool_result.content.0.image.source.base64.data: The image was not provided as valid base64',
    'messages.2.content.0.tool_result: all content must be type "text" if "is_error" is true',
    "messages.2.content.0.tool_result.content: Input tag 'tool_use' found using 'type' does not match any of the expected tags",
    `${at}.data: The image was not provided as valid base64`,
    `${at}.data: The image was not provided as valid base64`,
    `${at}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    `${at}.data: Image does not match the provided media type image/gif`,
    'Could not process image',
    `${at}: image exceeds 10 MB maximum: 10485764 bytes > 10485760 bytes`,
    `${at}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
  ]);
});

test('with more than twenty images in a request, anthropic wants each below 2,000 pixels', () => {
  const wide = block(png(2_001, 1).toString('base64'));
  expect(anthropic(...Array.from({ length: 20 }, () => wide))).toBeUndefined();
  expect(anthropic(...Array.from({ length: 21 }, () => wide))).toBe(
    'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 2000 pixels',
  );
});

test('OpenAI takes images as data URLs, in results on the responses wire alone', () => {
  const said = { type: 'image_url', image_url: { url: url(small) } };
  const broken = Buffer.from('no image at all').toString('base64');
  const noImage =
    "The image data you provided does not represent a valid image. Please check your input and try again with one of the following image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].";
  const call = {
    role: 'assistant',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'r', arguments: '{}' } }],
  };
  const tool = { role: 'tool', tool_call_id: 'a', content: [said] };
  const fn = { type: 'function_call', call_id: 'a', name: 'r', arguments: '{}' };
  const output = {
    type: 'function_call_output',
    call_id: 'a',
    output: [{ type: 'input_image', image_url: url(small) }],
  };
  expect([
    chat(said),
    chat({ type: 'image_url', image_url: { url: url(broken) } }),
    chat({ type: 'image_url', image_url: { url: url('archive:12') } }),
    chat({ type: 'input_image', image_url: url(small) }),
    judgeChat({ model: 'sim', messages: [hi, call, tool] }, issued, {})?.message,
    responses({ type: 'input_image', image_url: url(small), detail: 'auto' }),
    responses({ type: 'input_image', image_url: url(broken) }),
    responses({ type: 'input_image', image_url: { url: url(small) } }),
    judgeResponses({ model: 'sim', store: false, input: [hi, fn, output] }, issued, {})?.message,
    responses({ type: 'input_image', image_url: url(png(7_952, 5_304).toString('base64')) }),
  ]).toEqual([
    undefined,
    noImage,
    "Invalid 'messages[0].content[0].image_url'. Expected a base64-encoded data URL with an image MIME type.",
    "Invalid value: 'input_image'. Supported values are: 'text' and 'image_url'.",
    "Invalid 'messages[2].content[0]': image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    undefined,
    noImage,
    undefined,
    undefined,
    'The image requires 41334 patches after processing, exceeding the limit of 30000.',
  ]);
});

test('an image looks the same on every wire, and counts by its size, not by its bytes', async () => {
  const seen = [{ role: 'user', parts: [{ kind: 'image', mediaType: 'image/png', data: small }] }];
  expect(viewAnthropic({ messages: [{ role: 'user', content: [block(small)] }] }).messages).toEqual(seen);
  expect(
    viewChat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: url(small) } }] }] })
      .messages,
  ).toEqual(seen);
  expect(
    viewResponses({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: url(small) }] }] }).messages,
  ).toEqual(seen);
  const tokenizer = await loadTokenizer();
  const tokens = (width: number, height: number) => {
    const image = block(png(width, height).toString('base64'));
    return anthropicBlocks({ messages: [{ role: 'user', content: [image] }] }).reduce(
      (sum, { text }) => sum + tokenizer.count(text).tokens.length,
      0,
    );
  };
  expect(tokens(1000, 750) - tokens(100, 75)).toBeGreaterThan(950);
  expect(tokens(1000, 750)).toBeLessThan(1_050);
});
