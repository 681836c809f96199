/** The HTTP client, which is large: an idle daemon makes no request. */
import { loadLate } from '@zerd/protocol/node/load-late';

export const loadUndici = loadLate(async () => (await import('undici')).default);
