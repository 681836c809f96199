/**
 * Refuses images as the providers do, in their words (Anthropic's page on vision and OpenAI's on images, reported refusals,
 * 2026-11): unknown types, broken base64, bytes that are another image or none, sides and bytes beyond the limits.
 */
import { imageOf, isBase64, type SentImage, sizeOf, typeInBytes } from '../view/image.ts';
import { isObject, type Json, objectsOf } from '../wire.ts';
import { invalid, type Verdict } from './verdict.ts';

const mostBytes = 10 * 1024 * 1024;
const mostSide = 8_000;
/** With more images than these in a request, each may have no longer side. */
const [manyImages, mostSideOfMany] = [20, 2_000];

/** Of a whole Messages request. */
export function* judgeAnthropicImages(messages: readonly Json[]): Iterable<Verdict> {
  const found = messages.flatMap(({ content }, i) => imagesIn(content, `messages.${i}.content`));
  const longest = found.length > manyImages ? mostSideOfMany : mostSide;
  for (const { at, image } of found) yield* judgeAnthropicImage(image, `${at}.image.source.base64`, longest);
}

function imagesIn(content: unknown, at: string): readonly { readonly at: string; readonly image: SentImage }[] {
  return objectsOf(content).flatMap((block, j) => {
    if (block.type === 'tool_result') return imagesIn(block.content, `${at}.${j}.tool_result.content`);
    const image = imageOf(block);
    return image === undefined ? [] : [{ at: `${at}.${j}`, image }];
  });
}

function* judgeAnthropicImage(image: SentImage, at: string, longest: number): Iterable<Verdict> {
  const { mediaType, data } = image;
  if (!/^image\/(jpeg|png|gif|webp)$/.test(mediaType))
    yield invalid(`${at}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`);
  if (!isBase64(image)) yield invalid(`${at}.data: The image was not provided as valid base64`);
  if (data.length > mostBytes)
    yield invalid(`${at}: image exceeds 10 MB maximum: ${data.length} bytes > ${mostBytes} bytes`);
  const type = typeInBytes(image);
  if (type === undefined) yield invalid('Could not process image');
  if (type !== mediaType) yield invalid(`${at}.data: Image does not match the provided media type ${mediaType}`);
  const { width, height } = sizeOf(image);
  if (Math.max(width, height) > longest)
    yield invalid(`${at}.data: At least one of the image dimensions exceed max allowed size: ${longest} pixels`);
}

/** Of one content part of OpenAI's wires. */
export function* judgeOpenAiImage(part: Json, at: string): Iterable<Verdict> {
  if (part.type !== 'input_image' && part.type !== 'image_url') return;
  const param = `${at}.image_url`;
  const image = imageOf(part);
  const address = isObject(part.image_url) ? part.image_url.url : part.image_url;
  if (image === undefined) {
    if (typeof address === 'string' && address.startsWith('https://')) return;
    return yield invalid(`Invalid '${param}'. Expected a valid URL, but got a value with an invalid format.`, {
      code: 'invalid_value',
      param,
    });
  }
  if (!isBase64(image))
    yield invalid(`Invalid '${param}'. Expected a base64-encoded data URL with an image MIME type.`, {
      code: 'invalid_value',
      param,
    });
  if (typeInBytes(image) === undefined) {
    const formats = "['image/jpeg', 'image/png', 'image/gif', 'image/webp']";
    const message = `The image data you provided does not represent a valid image. Please check your input and try again with one of the following image formats: ${formats}.`;
    yield invalid(message, { code: 'image_parse_error', param: 'input' });
  }
  const { width, height } = sizeOf(image);
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (patches > mostPatches)
    yield invalid(`The image requires ${patches} patches after processing, exceeding the limit of ${mostPatches}.`, {
      code: 'image_too_large',
      param,
    });
}

const mostPatches = 30_000;
