/**
 * What the model was told of changes that it did not make, as the log has it. Invariant: once it has seen or written the
 * file again, nothing counts as told.
 */
import type { SeenFile, SessionEvent } from '@zerd/protocol/common/event';

export interface ToldChange {
  /** SHA-256 of the content it was told of; undefined: that the file is gone, or nothing was told. */
  readonly hash: string | undefined;
  /** It was shown the changed lines. */
  readonly lines: boolean;
  /** How often in a row; 0: nothing was told. */
  readonly times: number;
}

export const nothingTold: ToldChange = { hash: undefined, lines: false, times: 0 };

type Told = ReadonlyMap<string, ToldChange>;
type About = Extract<SessionEvent, { kind: 'reminder.added' }>['about'];
type ChangedFiles = Extract<About, { kind: 'filesChanged' }>['files'];

export function toldAfterReminder(told: Told, files: ChangedFiles): readonly (readonly [string, ToldChange])[] {
  return files.map(({ path, hash, lines }) => [path, { hash, lines, times: (told.get(path)?.times ?? 0) + 1 }]);
}

export function toldAfterResult(told: Told, files: readonly SeenFile[]): readonly (readonly [string, ToldChange])[] {
  return files.flatMap(({ path }) => (told.has(path) ? [[path, nothingTold] as const] : []));
}
