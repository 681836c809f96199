/** A file as this process made it: so that it is recognised later, and removed only while it is still that one. */
import { lstatSync, rmSync } from 'node:fs';

export interface OwnFile {
  readonly path: string;
  stillOurs(): boolean;
  /** Removes it unless another stands in its place. */
  remove(): void;
}

/** To be called right after `path` was made. */
export function ownFile(path: string): OwnFile {
  const made = identityOf(path);
  const stillOurs = () => made !== undefined && identityOf(path) === made;
  return {
    path,
    stillOurs,
    remove: () => {
      if (stillOurs()) rmSync(path, { force: true });
    },
  };
}

/** The change time too: an inode's number is given to the next file soon after it is freed. */
function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}
