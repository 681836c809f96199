/** Puts what the file system refused into words for the model. The messages name the file by the path that was given. */

/** The code of a failed system call ('ENOENT'), or '' for anything else. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'has a file where a folder should be',
  EISDIR: 'is a folder',
  EACCES: 'may not be accessed: its mode or that of its folder forbids it',
  EPERM: 'may not be changed: the system does not permit it',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'could not be written: the disk is full',
  EDQUOT: 'could not be written: the disk quota is used up',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'became a symbolic link meanwhile',
  ETXTBSY: 'is a program that is running',
  EMFILE: 'could not be opened: too many files are open; try again',
};

/** A sentence about `path`, or undefined: no failure of the file system, so a defect. */
export function describeFsFailure(error: unknown, path: string): string | undefined {
  const code = errorCode(error);
  if (!/^E[A-Z0-9]+$/.test(code)) return undefined;
  return `${path} ${words[code] ?? `could not be accessed (${code})`}.`;
}
