import { expect, test } from '@jest/globals';
import { imagesFrom } from '../../src/session/given-images.ts';

const check = async (files: readonly string[], message: string) =>
  expect(imagesFrom(files, () => '/')).rejects.toMatchObject({ code: 'invalid_params', message });

test('what is no file, is not there, or is too many at once is refused in words, before anything is read', async () => {
  await check(['dev/null'], 'The image dev/null cannot be shown: it is no file. Nothing was sent.');
  await check(['proc'], 'The image proc cannot be shown: it is no file. Nothing was sent.');
  await check(['missing.png'], 'The image missing.png cannot be shown: there is no such file. Nothing was sent.');
  await check(
    Array.from({ length: 200 }, () => 'missing.png'),
    '200 images were given; 20 at once are the limit. Nothing was sent.',
  );
});
