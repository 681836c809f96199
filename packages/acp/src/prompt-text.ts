/**
 * Makes one message for the model out of what an editor sends: text as it is, files by their path, what is embedded in a
 * block of its own. Pure. Invariant: nothing that was sent is dropped without a word.
 */
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { GivenImages } from '@zerd/protocol/common/image';

/** What an editor holds of a file that is not saved yet, by the file's address. */
export type Unsaved = ReadonlyMap<string, string>;

export function promptText(blocks: readonly ContentBlock[], root: string, unsaved: Unsaved = new Map()): string {
  return blocks
    .map((block) => blockText(block, root, unsaved))
    .filter((text) => text !== '')
    .join('\n\n');
}

function blockText(block: ContentBlock, root: string, unsaved: Unsaved): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link': {
      const path = pathOf(block.uri, root);
      const text = unsaved.get(block.uri);
      return text === undefined ? `@${path}` : quoted(`${path} (as it stands in the editor, not saved)`, text);
    }
    case 'resource': {
      const { resource } = block;
      const path = pathOf(resource.uri, root);
      return 'text' in resource ? quoted(path, resource.text) : `[${path}: attached, but not text; it was not sent]`;
    }
    case 'image':
      // It is shown beside the text, which keeps its place.
      return `[${nameOf(block, root)}]`;
    case 'audio':
      return `[${block.type} attached (${block.mimeType}); it was not sent: zerd takes no sound]`;
    default:
      return '[something attached of a kind that zerd does not know; it was not sent]';
  }
}

/** The images among them, as the daemon takes them. */
export function promptImages(blocks: readonly ContentBlock[], root: string): GivenImages {
  return blocks.flatMap((block) => (block.type === 'image' ? [{ name: nameOf(block, root), data: block.data }] : []));
}

function nameOf({ uri, mimeType }: Extract<ContentBlock, { type: 'image' }>, root: string): string {
  return uri?.startsWith('file://') ? pathOf(uri, root) : `pasted ${mimeType.replace(/^image\//, '')} image`;
}

/** Relative to the root where it lies below it. */
export function pathOf(uri: string, root: string): string {
  if (!uri.startsWith('file://')) return uri;
  const path = decoded(new URL(uri).pathname);
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A stray percent sign: the path as it stands is the better guess.
    return path;
  }
}

function quoted(name: string, text: string): string {
  return `<file name=${JSON.stringify(name)}>\n${text.replace(/<(?=\/file>)/g, '&lt;')}\n</file>`;
}
