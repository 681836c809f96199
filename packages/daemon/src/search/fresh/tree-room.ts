/** What the parts of the watch work with: the tree as it is known, its watches, and whom they tell. */
import type { FileStamp } from '../index/contract.ts';
import type { LookWish } from './look.ts';
import type { Folder, Tree } from './tree.ts';
import type { FolderWatches } from './watch-folders.ts';

export interface TreeRoom extends LookWish {
  readonly tree: Tree;
  readonly watches: FolderWatches;
  /** The file is new or has new content. */
  found(path: string, folder: Folder, name: string, stamp: FileStamp): void;
  /** The file is there as it was. */
  stays(path: string): void;
  gone(path: string): void;
  wall(): number;
  /** From time to time lets others of the same thread go on. */
  breathe(): Promise<void> | undefined;
}
