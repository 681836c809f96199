/**
 * The methods that a client may call, with their sentences, from the method table. The build evaluates this file and
 * bundles its value: the shipped client carries the list but neither the table nor its schemas.
 */
import { methods } from '@zerd/protocol/common/methods';

export const methodList: readonly (readonly [name: string, says: string])[] = Object.entries(methods)
  .filter(([, row]) => row.direction === 'toDaemon')
  .map(([name, row]) => [name, row.says] as const);
