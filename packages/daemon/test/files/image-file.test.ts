import { expect, test } from '@jest/globals';
import { readImage } from '@zerd/daemon/files/image-file';
import { gif, jpeg, png, webp } from '../../../../test/support/images.ts';

function check(name: string, bytes: Uint8Array, expected: unknown) {
  const found = readImage(name, bytes);
  const { bytes: _, ...told } = found?.kind === 'image' ? found : { ...found, bytes: undefined };
  expect(found === undefined ? undefined : told).toEqual(expected);
}

const image = (name: string, type: string, width: number, height: number) => ({
  kind: 'image',
  name,
  type: `image/${type}`,
  width,
  height,
});
const unfit = (message: string) => ({ kind: 'unfit', message });

test('an image is known by its bytes, whatever its name, with its size', () => {
  check('a.png', png(640, 480), image('a.png', 'png', 640, 480));
  check('photo.txt', jpeg(1024, 768), image('photo.txt', 'jpeg', 1024, 768));
  check('a.gif', gif(300, 2), image('a.gif', 'gif', 300, 2));
  check('a.webp', webp(77, 33), image('a.webp', 'webp', 77, 33));
  check('a.jpg', png(1, 1), image('a.jpg', 'png', 1, 1));
  check('trailing', Buffer.concat([jpeg(8, 8), Buffer.from('\n')]), image('trailing', 'jpeg', 8, 8));
});

test('what is no image that models are shown is none', () => {
  for (const bytes of ['', 'text', '%PDF-1.7', 'RIFF....WAVE', 'BM1234', 'GIF90a', '<svg/>'])
    check('a.png', Buffer.from(bytes), undefined);
});

test('an image that breaks off, at any of its bytes, is named as broken and never shown', () => {
  for (const [type, whole] of [
    ['PNG', png(40, 30)],
    ['JPEG', jpeg(40, 30)],
    ['GIF', gif(40, 30)],
    ['WebP', webp(40, 30)],
  ] as const)
    for (let end = 12; end < whole.length; end++)
      check(
        'a',
        whole.subarray(0, end),
        unfit(`a is broken: it begins as a ${type} image, and not all of one is there. Make it again.`),
      );
});

test('an image without a size, or with chunks that lead nowhere, is broken too', () => {
  const broken = (type: string) =>
    unfit(`a is broken: it begins as a ${type} image, and not all of one is there. Make it again.`);
  check('a', png(0, 10), broken('PNG'));
  const lost = png(4, 4);
  lost.writeUInt32BE(0xffffffff, 33);
  check('a', lost, broken('PNG'));
  check('a', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(100_000)]), broken('JPEG'));
  check('a', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(50)]), broken('GIF'));
});

test('an image that is too large is refused with what to do: nothing is scaled', () => {
  const todo = 'zerd does not scale images: make a smaller one, or show a part of it.';
  check('a', png(8_000, 1), image('a', 'png', 8_000, 1));
  check('a', png(8_001, 1), unfit(`a is too large to be shown: 8001x1, the limit is 8000 pixels a side. ${todo}`));
  const inParts = Buffer.alloc(5_000_001);
  png(5, 5).copy(inParts, 0, 0, 33);
  check('a', inParts, unfit(`a is too large to be shown: 5,000,001 bytes, the limit is 5,000,000 bytes. ${todo}`));
  const heavy = Buffer.concat([jpeg(9, 9), Buffer.alloc(5_000_000)]);
  check(
    'a',
    heavy,
    unfit(
      `a is too large to be shown: ${heavy.length.toLocaleString('en-US')} bytes, the limit is 5,000,000 bytes. ${todo}`,
    ),
  );
});
