import type { ContentBlock } from '@agentclientprotocol/sdk';
import { expect, test } from '@jest/globals';
import { promptImages, promptText } from '../src/prompt-text.ts';

const root = '/repo';

function check(blocks: readonly ContentBlock[], text: string, images: readonly object[] = []) {
  expect([promptText(blocks, root), promptImages(blocks, root)]).toEqual([text, images]);
}

test('an image keeps its place in the text by its name, and its bytes go beside it', () => {
  check(
    [
      { type: 'text', text: 'Compare' },
      { type: 'image', mimeType: 'image/png', data: 'QUJD' },
      { type: 'text', text: 'with' },
      { type: 'image', mimeType: 'image/jpeg', data: 'REVG', uri: 'file:///repo/docs/a%20b.jpg' },
    ],
    'Compare\n\n[pasted png image]\n\nwith\n\n[docs/a b.jpg]',
    [
      { name: 'pasted png image', data: 'QUJD' },
      { name: 'docs/a b.jpg', data: 'REVG' },
    ],
  );
});

test('an image alone is something to say, sound is named as not sent, and a mentioned file comes by its path', () => {
  check([{ type: 'image', mimeType: 'image/webp', data: 'QUJD' }], '[pasted webp image]', [
    { name: 'pasted webp image', data: 'QUJD' },
  ]);
  check(
    [{ type: 'audio', mimeType: 'audio/wav', data: 'QUJD' }],
    '[audio attached (audio/wav); it was not sent: zerd takes no sound]',
  );
  check([{ type: 'resource_link', name: 'a', uri: 'file:///repo/shot.png' }], '@shot.png');
});
