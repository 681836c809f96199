/**
 * Says which requests do nothing but look. Nobody needs their answer when whoever asked is gone; what somebody said or did
 * is done all the same, for it may be work.
 */
import type { ClientMethod } from '@zerd/protocol/common/methods';

const looking: ReadonlySet<string> = new Set<ClientMethod>([
  'archive/read',
  'auth/status',
  'config/read',
  'context/read',
  'cost/forecast',
  'cost/read',
  'daemon/doctor',
  'daemon/status',
  'file/find',
  'grant/list',
  'index/status',
  'job/list',
  'job/read',
  'mcp/list',
  'model/list',
  'notes/read',
  'search/query',
  'session/export',
  'session/list',
  'session/read',
  'session/subscribe',
  'session/unsubscribe',
  'skill/list',
  'trust/read',
]);

export function onlyLooks(method: string): boolean {
  return looking.has(method);
}
