/** The protocol versions this build can speak. Raised when a change would mislead an older peer. */
export const protocolRange = { min: 1, max: 1 } as const;

/** The version of zerd. */
export const zerdVersion = '0.1.0';

/** Whether release `a` comes after `b`; what is not `major.minor.patch` is never newer. A pre-release comes before its release. */
export function isNewerVersion(a: string, b: string): boolean {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left === undefined || right === undefined) return false;
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}

function partsOf(version: string): readonly number[] | undefined {
  const [, major, minor, patch, pre] = /^(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [Number(major), Number(minor), Number(patch), pre === undefined ? 1 : 0];
}
