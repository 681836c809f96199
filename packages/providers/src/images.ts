/**
 * Images on the wires. A body names them by the ids of their bytes; these are put in when it is sent. So what is logged,
 * compared, counted and shown of a body stays small, and is equal exactly when what is sent is. Invariant: only where a
 * wire takes an image is a name looked for; what a model or a user wrote stays as it is.
 */
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import { imageWords } from '@zerd/protocol/common/image-words';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { isObject } from './json/fields.ts';
import type { ImageData } from './provider.ts';

const prefix = 'archive:';

export function imageRef(id: ArchiveId): string {
  return `${prefix}${id}`;
}

export function imageUrl({ type, archiveId }: Image): string {
  return `data:${type};base64,${imageRef(archiveId)}`;
}

/** What introduces an image that a result cannot hold. */
export function shownFor(image: Image): string {
  return `[the image of a result above: ${imageWords(image)}]`;
}

/** The same object where it names none. */
export async function putImages(body: JsonObject, data: ImageData | undefined): Promise<JsonObject> {
  const list = body.input === undefined ? 'messages' : 'input';
  const items = body[list];
  if (data === undefined || !Array.isArray(items) || !JSON.stringify(items).includes(prefix)) return body;
  return { ...body, [list]: await Promise.all(items.map((item) => inMessage(item, data))) };
}

async function inMessage(item: JsonValue, data: ImageData): Promise<JsonValue> {
  if (!isObject(item)) return item;
  // The list that an output of a call holds is `output`; a result inside a message is a list in a list.
  const field = item.type === 'function_call_output' ? 'output' : 'content';
  const parts = item[field];
  if (!Array.isArray(parts)) return item;
  return { ...item, [field]: await Promise.all(parts.map((part) => inPart(part, data))) };
}

async function inPart(part: JsonValue, data: ImageData): Promise<JsonValue> {
  if (!isObject(part)) return part;
  if (part.type === 'tool_result') return await inMessage(part, data);
  const id = idIn(part);
  if (id === undefined) return part;
  const bytes = await data(id);
  return bytes === undefined ? gone(part, id) : withBytes(part, bytes);
}

function idIn(part: JsonObject): ArchiveId | undefined {
  const text = urlIn(part);
  const found = /^(?:data:image\/[a-z]+;base64,)?archive:([0-9a-f]{12,64})$/.exec(text ?? '');
  return found?.[1] as ArchiveId | undefined;
}

function urlIn({ type, source, image_url: url }: JsonObject): string | undefined {
  const holder = type === 'image' && isObject(source) ? source.data : isObject(url) ? url.url : url;
  const isImage = type === 'image' || type === 'input_image' || type === 'image_url';
  return isImage && typeof holder === 'string' ? holder : undefined;
}

function withBytes(part: JsonObject, bytes: string): JsonObject {
  const put = (text: JsonValue | undefined) => String(text).replace(/archive:[0-9a-f]+$/, () => bytes);
  const { source, image_url: url } = part;
  if (isObject(source)) return { ...part, source: { ...source, data: put(source.data) } };
  return { ...part, image_url: isObject(url) ? { ...url, url: put(url.url) } : put(url) };
}

/** In the form of text that stands beside images on the same wire. */
function gone(part: JsonObject, id: ArchiveId): JsonObject {
  const { cache_control: mark } = part;
  const text = `[image ${id.slice(0, 12)}: its bytes are no longer in the archive]`;
  const type = part.type === 'input_image' ? 'input_text' : 'text';
  return { type, text, ...(mark === undefined ? {} : { cache_control: mark }) };
}
