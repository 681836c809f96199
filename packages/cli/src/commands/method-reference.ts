/**
 * What the generated reference says of each method. The build evaluates this file and bundles its value: the shipped
 * client carries the words but neither the method table nor its schemas.
 */
import { readFileSync } from 'node:fs';

export interface MethodWords {
  readonly direction: 'toDaemon' | 'toClient';
  readonly says: string;
  /** Lines with a field each. */
  readonly params: string;
  /** Absent: the daemon sends it by itself. */
  readonly result?: string;
  /** A line of a shell. */
  readonly example?: string;
}

// The same from src and from dist.
const file = new URL('../../../../protocol/schema/reference.json', import.meta.url);

export const methodReference = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, MethodWords>>;
