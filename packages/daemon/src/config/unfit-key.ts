/** Refuses a key that no request can carry: what the network would say of it names everything but the key. */
import { ZerdError } from '@zerd/protocol/common/errors';

/** `where`: the variable or the file that holds it. The key itself is never told. Throws key_missing. */
export function requireFitting(ref: string, key: string, where: string): void {
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(key)) return;
  const what = /[\r\n]/.test(key) ? 'a line break' : 'a character that no header can carry, as an ellipsis';
  throw new ZerdError(
    'key_missing',
    `The key of ${ref} in ${where} holds ${what}: it was not copied as it is. Set it anew; nothing was sent.`,
  );
}
